// Loads jose, or says in one sentence what is missing.
import { createRequire } from 'node:module'
import type * as jose from 'jose'

/** What is used of the library; only types of it, which no declaration of ours names. */
export type JoseLibrary = Pick<typeof jose, 'createLocalJWKSet' | 'createRemoteJWKSet' | 'errors' | 'jwtVerify'>

/**
 * Loaded when the authentication is made and not by an import: it is an optional peer, and who does not use it need not
 * have it.
 * @throws TypeError with a sentence for whoever installs
 */
export function loadJose(): JoseLibrary {
  try {
    return createRequire(import.meta.url)('jose') as JoseLibrary
  } catch (cause) {
    throw new TypeError('bearerJwt needs the package jose: npm install jose@6.', { cause })
  }
}
