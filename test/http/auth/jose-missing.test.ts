// An installation without jose: said in one sentence, when authentication is made, and only to whoever needs it.
import { registerHooks } from 'node:module'
import { expect, it } from 'vitest'
import { bearerJwt } from '../../../src/http/auth/bearer-jwt.ts'
import { staticTokens } from '../../../src/http/auth/static-tokens.ts'

it('an installation without jose is told what to install', () => {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'jose') throw new Error('not installed')
      return next(specifier, context)
    },
  })
  const claims = { tenant: 'tenant', kind: 'kind', owner: 'owner', roles: 'roles', assurance: 'amr' }
  const jwks = new URL('https://issuer.example/jwks')

  expect(() => bearerJwt({ issuer: 'i', audience: 'a', jwks, claims })).toThrow(
    new TypeError('bearerJwt needs the package jose: npm install jose@6.'),
  )
  expect(() => staticTokens([], { listeningOn: 'localhost' })).not.toThrow()
})
