// The command "countersign worker": processes of their own on one database, one of them killed in the middle of a call.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { postgresStore } from '../../src/store/postgres-store.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { repositoryRoot } from '../../tools/repository.ts'
import { AutomaticAction } from './automatic-action.ts'
import { type HoldingTarget, holdingTarget } from './holding-target.ts'
import { newDatabase } from './new-database.ts'
import { countersign, folder } from './run-countersign.ts'

const PROPOSALS = 6
const LOOK_MS = 250
/** A killed worker's lease is over after 32 s, by the clock of the database. */
const TIMEOUT_MS = 300_000

const requester = session('user', 'rita', 'requester')
const manager = session('user', 'mark', 'manager')

it(
  'two workers, of which one is killed in the middle of a call, settle everything and do nothing twice, on SQLite and PostgreSQL',
  async () => {
    const stories = await Promise.all([killedInTheMiddle(inFile), killedInTheMiddle(() => newDatabase('worker'))])

    const [statuses, bookings] = ['verified', 1].map((each) => Array.from({ length: PROPOSALS }, () => each))
    const asItShould = { statuses, bookings, ending: [0, null] }
    expect(stories).toEqual([asItShould, asItShould])
  },
  TIMEOUT_MS,
)

async function killedInTheMiddle(databaseIn: DatabaseIn): Promise<object> {
  const { target, approved, worker, statuses } = await bench(databaseIn)
  for (let nth = 0; nth < PROPOSALS; nth += 1) await approved()
  const doomed = await worker()
  await target.booked
  const witness = await worker()

  doomed.kill('SIGKILL')
  await once(doomed, 'close')
  target.release()
  for (;;) {
    const now = await statuses()
    if (now.every((status) => status === 'verified' || status === 'verification_unresolved')) break
    await delay(LOOK_MS)
  }

  const settled = await statuses()
  witness.kill('SIGTERM')
  const ending = await once(witness, 'close')
  return { statuses: settled, bookings: [...target.bookings.values()], ending }
}

describe('a worker', () => {
  it('stops at SIGTERM once what is under way has ended', async () => {
    const { target, approved, worker, statuses } = await bench(inFile)
    await approved()
    const child = await worker()
    await target.booked

    child.kill('SIGTERM')
    target.release()

    expect(await once(child, 'close')).toEqual([0, null])
    expect(await statuses()).not.toContain('executing')
  })

  it('ends at once at the second signal', async () => {
    const { target, approved, worker } = await bench(inFile)
    await approved()
    const child = await worker()
    await target.booked

    child.kill('SIGTERM')
    const again = setInterval(() => child.kill('SIGTERM'), LOOK_MS)
    const [code] = (await once(child, 'close')) as [number]
    clearInterval(again)

    expect([0, 143]).toContain(code)
    expect([...target.bookings.values()]).toEqual([1])
  })

  it('says what it needs where it has none', async () => {
    const run = await countersign(['worker'], { cwd: folder() })

    expect(run).toMatchObject({ exitCode: 64, stdout: '' })
    expect(run.stderr).toContain('--actions')
  })

  it.each([
    ['a person', `{ principal: { kind: 'user', id: 'rita' }, roles: ['worker'] }`],
    ['roles that are none', `{ principal: { kind: 'service', id: 'w' }, roles: 'worker' }`],
  ])('is refused as %s', async (_who, identity) => {
    const cwd = folder()
    writeActions(cwd, `, worker: ${identity}`)

    const run = await countersign(['worker', '--actions', 'actions.ts'], { cwd })

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toContain('exports a "worker" that is not')
  })
})

interface Bench {
  readonly target: HoldingTarget
  /** Prepares and approves one proposal. */
  readonly approved: () => Promise<void>
  /** Starts a worker, and waits until it works. */
  readonly worker: () => Promise<ChildProcess>
  /** Of all proposals that were approved. */
  readonly statuses: () => Promise<readonly string[]>
}

/** Names a new database for what works in this folder. */
type DatabaseIn = (cwd: string) => Promise<string>

async function bench(databaseIn: DatabaseIn): Promise<Bench> {
  const cwd = folder()
  const database = await databaseIn(cwd)
  const keys = newKeyringText()
  const target = await holdingTarget()
  writeActions(cwd)
  const store = await open(database)
  onTestFinished(async () => store.close())
  const action = new AutomaticAction()
  const runtime = await ProposalRuntime.open({ store, keyring: localKeyring(keys), actions: [action] })
  const made: string[] = []
  return {
    target,
    async approved() {
      const command = { intent: `once, case ${made.length}` }
      const { proposal, commitment } = await runtime.prepare(requester, { action: action.contract.type, command })
      await runtime.approve(manager, proposal, { commitment })
      made.push(proposal)
    },
    async worker() {
      const main = join(repositoryRoot, 'src/cli/main.ts')
      const args = ['--conditions=countersign-source', main, 'worker', '--actions', 'actions.ts', '--json']
      const env = { PATH: process.env['PATH'], DATABASE_URL: database, COUNTERSIGN_KEYS: keys, HELD_TARGET: target.url }
      const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(createInterface({ input: child.stdout }), 'line')
      return child
    },
    async statuses() {
      const views = await Promise.all(made.map(async (ref) => runtime.read(requester, ref)))
      return views.map((view) => (view.kind === 'proposal' ? view.status : view.kind))
    },
  }
}

function writeActions(cwd: string, more = ''): void {
  const action = pathToFileURL(join(repositoryRoot, 'test/cli/automatic-action.ts')).href
  const text = `import { AutomaticAction } from '${action}'\nexport default { actions: [new AutomaticAction()]${more} }\n`
  writeFileSync(join(cwd, 'actions.ts'), text)
}

async function open(database: string): Promise<Store> {
  return database.startsWith('postgres') ? postgresStore({ url: database }) : sqliteStore(database)
}

const inFile: DatabaseIn = async (cwd) => join(cwd, 'store.db')

function session(kind: 'user', id: string, role: string): Session {
  return { tenant: 'acme', principal: { kind, id }, roles: [role], assurance: ['authenticated_session'] }
}
