// Actions of the host's own: served with the authentication that they bring, or in development to this machine.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../../tools/repository.ts'
import { approvedHeld, holdingTarget, serveHeld } from './holding-target.ts'
import { countersign, folder } from './run-countersign.ts'
import { startServe } from './served.ts'

const action = pathToFileURL(join(repositoryRoot, 'test/cli/held-action.ts')).href

it('serves them with the authentication and the keys that the file exports, and makes no token', async () => {
  const cwd = folder()
  const text = `import { ephemeralKeyring } from 'countersign'
    import { HeldAction } from '${action}'
    const session = { tenant: 'acme', principal: { kind: 'user', id: 'ann' }, roles: ['requester'], assurance: [] }
    const authenticate = ({ headers }) => (headers.get('x-who') === 'ann' ? session : null)
    export default { actions: [new HeldAction()], authenticate, keyring: ephemeralKeyring() }`
  writeFileSync(join(cwd, 'actions.ts'), text)
  link(cwd)

  const server = await startServe({ cwd, args: ['--actions', 'actions.ts'] })

  expect(server).toMatchObject({ provider: null, actions: ['test.payments/held@1'], tokens: {} })
  const known = await server.ask('/v1/actions', 'nobody', undefined, { headers: { 'x-who': 'ann' } })
  const unknown = await server.ask('/v1/actions', 'nobody', undefined, { headers: { 'x-who': 'bob' } })
  expect([known.status, unknown.status]).toEqual([200, 401])
})

it('makes in development two tokens for every role that the actions name, and one for an agent', async () => {
  const target = await holdingTarget()
  target.release()
  const server = await serveHeld(folder(), target)

  const ref = await approvedHeld(server)
  const executed = await server.ask(`/v1/proposals/${ref}/execute`, 'requester-2', {})
  const byAgent = await server.ask('/v1/proposals', 'agent', {
    action: 'test.payments/held@1',
    command: { intent: 'of the agent' },
  })

  expect(Object.keys(server.tokens)).toEqual(['manager-1', 'manager-2', 'requester-1', 'requester-2', 'agent'])
  expect([executed.status, executed.body]).toMatchObject([202, { outcome: 'verification_pending' }])
  expect(byAgent.status).toBe(201)
})

it('logs of what an action throws its class and its place, not the name and the words that it was given', async () => {
  const cwd = folder()
  const text = `import { HeldAction } from '${action}'
    class LedgerError extends Error {
      constructor(words) {
        super(words)
        this.name = words
      }
    }
    class Failing extends HeldAction {
      async prepare({ command }) {
        throw new LedgerError('IBAN of ' + command.intent)
      }
    }
    export default { actions: [new Failing()] }`
  writeFileSync(join(cwd, 'actions.ts'), text)
  const server = await startServe({ cwd, args: ['--actions', 'actions.ts', '--dev'] })

  const answer = await server.ask('/v1/proposals', 'requester-1', {
    action: 'test.payments/held@1',
    command: { intent: 'Alice' },
  })
  server.child.kill('SIGTERM')
  await server.ended

  expect(answer.status).toBe(503)
  expect(server.log()).toContain('"error":"LedgerError"')
  expect(server.log()).not.toMatch(/IBAN|Alice/)
})

it('refuses an address that others can reach for tokens that are meant for loopback', async () => {
  const cwd = folder()
  const text = `import { staticTokens } from 'countersign/http'
    import { HeldAction } from '${action}'
    export default { actions: [new HeldAction()], authenticate: staticTokens([], { listeningOn: '127.0.0.1' }) }`
  writeFileSync(join(cwd, 'actions.ts'), text)
  link(cwd)

  const run = await countersign(['serve', '--actions', 'actions.ts', '--host', '0.0.0.0', '--port', '0'], {
    cwd,
    env: { LOG_LEVEL: 'silent' },
  })

  expect(run).toMatchObject({ exitCode: 64, stdout: '' })
  expect(run.stderr).toMatch(/^countersign: --host: Static tokens are for development: [^\n]*\n$/)
})

/** Makes the package importable from a folder, as an installation would. */
function link(cwd: string): void {
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(repositoryRoot, join(cwd, 'node_modules/countersign'))
}
