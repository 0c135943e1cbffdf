// Webhooks on the command line: a server delivers what its file names, dead letters are listed, and replayed in order.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { listUndelivered } from '../../src/runtime/deliver/dead-letters.ts'
import { localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { repositoryRoot } from '../../tools/repository.ts'
import { HeldAction } from './held-action.ts'
import { countersign, folder } from './run-countersign.ts'

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const PATH_OF_HOOK = '/hook-7f3a'
const RECEIVER = join(repositoryRoot, 'test/http/webhooks/processes/receiver.ts')

it.each(['serve', 'worker'])(
  'invariant I29 %s delivers what its file names; what a receiver that is away did not get is listed, and replayed in order',
  async (command) => {
    const cwd = folder()
    const [database, received, keys] = [join(cwd, 'store.db'), join(cwd, 'received'), newKeyringText()]
    writeFileSync(received, '')
    const away = await started([RECEIVER, received, '0', SECRET])
    const port = away.line
    away.child.kill('SIGKILL')
    await once(away.child, 'close')
    writeActions(cwd, `http://127.0.0.1:${port}${PATH_OF_HOOK}`)
    const proposal = await approved(database, keys)
    const asked = async (...args: string[]) => countersign(['webhooks', ...args, '--db', database, '--json'], { cwd })

    const env = { DATABASE_URL: database, COUNTERSIGN_KEYS: keys, LEDGER_SECRETS: SECRET }
    const args = command === 'serve' ? ['serve', '--dev', '--worker', '--port', '0'] : ['worker']
    const server = await started([main, ...args, '--actions', 'actions.ts', '--json'], { cwd, env })
    const store = await sqliteStore(database)
    onTestFinished(async () => store.close())
    const dead = async (): Promise<number> => (await listUndelivered(store)).deadLetters.length
    while ((await dead()) === 0) await delay(20)
    const listed = await asked('list')
    expect(listed.exitCode).toBe(1)
    expect(JSON.parse(listed.stdout)).toMatchObject({
      deadLetters: [{ endpoint: 'ledger', proposal, type: 'proposal.prepared', reason: 'not_answered', failures: 2 }],
      disabled: [],
    })
    await started([RECEIVER, received, port, SECRET])
    expect(await asked('replay', 'ledger')).toMatchObject({ exitCode: 0 })
    const types = (): unknown[] => {
      const lines = readFileSync(received, 'utf8').split('\n').slice(0, -1)
      return lines.map((line) => (JSON.parse(line) as { type?: string }).type)
    }
    while (types().length < 3) await delay(20)
    server.child.kill('SIGTERM')

    expect(await once(server.child, 'close')).toEqual([0, null])
    expect(types()).toEqual(['proposal.prepared', 'proposal.approval_needed', 'proposal.approved'])
    expect(await dead()).toBe(0)
    const said = server.output()
    expect(said).toContain('is a dead letter')
    for (const secret of [SECRET, SECRET.slice(6), PATH_OF_HOOK]) expect(said).not.toContain(secret)
  },
)

it.each<[string, Record<string, string>, string, string]>([
  ['secrets in the file', {}, `secrets: ['${SECRET}']`, 'secretsFrom'],
  [
    'secrets that the environment has not',
    {},
    `secretsFrom: 'LEDGER_SECRETS'`,
    'The environment has no LEDGER_SECRETS',
  ],
  [
    'a secret that is none',
    { LEDGER_SECRETS: 'hunter2' },
    `secretsFrom: 'LEDGER_SECRETS'`,
    '/endpoints/0/secrets/0: must be whsec_',
  ],
])('threat T39 %s: the worker does not start, and repeats nothing', async (_what, env, secrets, sentence) => {
  const cwd = folder()
  writeActions(cwd, 'http://127.0.0.1:9/', secrets)

  const run = await countersign(['worker', '--actions', 'actions.ts', '--db', join(cwd, 'store.db')], { cwd, env })

  expect(run.exitCode).not.toBe(0)
  expect(run.stderr).toContain(sentence)
  for (const secret of [SECRET, 'hunter2']) expect(run.stderr + run.stdout).not.toContain(secret)
})

const main = join(repositoryRoot, 'src/cli/main.ts')

interface Started {
  readonly child: ChildProcess
  readonly line: string
  readonly output: () => string
}

/** Starts a process, and waits for its first line. */
async function started(
  args: readonly string[],
  { cwd = repositoryRoot, env = {} }: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<Started> {
  const child = spawn(process.execPath, ['--conditions=countersign-source', ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => void output.push(chunk))
  }
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, line, output: () => output.join('') }
}

function writeActions(cwd: string, url: string, secrets = `secretsFrom: 'LEDGER_SECRETS'`): void {
  const action = pathToFileURL(join(repositoryRoot, 'test/cli/held-action.ts')).href
  const endpoint = `{ id: 'ledger', url: '${url}', tenants: 'all', ${secrets} }`
  const text = `import { HeldAction } from '${action}'
export default {
  actions: [new HeldAction()],
  webhooks: { endpoints: [${endpoint}], waits: ['1ms'], allowLoopback: true },
}
`
  writeFileSync(join(cwd, 'actions.ts'), text)
}

/** Has a proposal prepared and approved before anybody delivers. */
async function approved(database: string, keys: string): Promise<string> {
  const store = await sqliteStore(database)
  const action = new HeldAction()
  const runtime = await ProposalRuntime.open({ store, keyring: localKeyring(keys), actions: [action] })
  const command = { intent: 'once, for webhooks' }
  const { proposal, commitment } = await runtime.prepare(session('rita', 'requester'), {
    action: action.contract.type,
    command,
  })
  await runtime.approve(session('mark', 'manager'), proposal, { commitment })
  await store.close()
  return proposal
}

function session(id: string, role: string): Session {
  return { tenant: 'acme', principal: { kind: 'user', id }, roles: [role], assurance: ['authenticated_session'] }
}
