// The gate of restores: an older copy of a store is found out before anything is called again, and nothing is sent twice.
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import Database from 'better-sqlite3'
import { ActionHeldError } from '../../src/effect/calls/action-error.ts'
import { acknowledgeRestore } from '../../src/runtime/acknowledge-restore.ts'
import { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import type { Store, Witness } from '../../src/runtime/ports.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { Worker } from '../../src/runtime/worker/worker.ts'
import { sqliteStore, witnessFile } from '../../src/sqlite.ts'
import { approved, type ExecutionOptions, type ExecutionWorld, openExecution } from './execution-world.ts'
import { answerOf, reference, unsound } from './harness.ts'
import { finance1, privacy, reader, requester, service, TENANT } from './sessions.ts'

/** The lease and the time in flight of the tests' action, and a little more. */
const BOUNDARY_MS = 120_001
const BY = { by: 'user:olga', reason: 'backup_restored' } as const

/** A store in a file with a witness beside it, whose copies can be put back. */
interface Scene {
  readonly world: ExecutionWorld
  readonly path: string
  readonly witness: string
  /** Stops whoever uses the file, as SIGKILL would: the witness learns nothing of it. */
  readonly stop: () => Promise<void>
  readonly start: (witness?: Witness) => Promise<{ readonly store: Store; readonly runtime: ProposalRuntime }>
  /** Keeps a copy of the file as it is now, log and all; what it answers puts the copy back. */
  readonly backup: () => () => void
}

async function scene(options: Partial<ExecutionOptions> = {}): Promise<Scene> {
  // The log of calls knows both histories of the store, and each dump only one of them.
  const except = ['I2', 'I3', 'I4', 'I6', 'I11'] as const
  const world = await openExecution({ store: 'sqlite', except, ...options })
  const folder = join(world.path ?? '', '..')
  const path = join(folder, 'restorable.db')
  const witness = join(folder, 'witness')
  let open: Store[] = []
  const stop = async (): Promise<void> => {
    for (const store of open) await store.close()
    open = []
  }
  onTestFinished(stop)
  let copies = 0
  return {
    world,
    path,
    witness,
    stop,
    async start(given = witnessFile(witness)) {
      const store = await sqliteStore(path, { clock: world.clock, witness: given })
      open.push(store)
      return { store, runtime: await world.open({ store }) }
    },
    backup() {
      copies += 1
      const copy = join(folder, `copy-${copies}.db`)
      const database = new Database(path)
      database.exec(`vacuum into '${copy}'`)
      database.close()
      return () => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
        copyFileSync(copy, path)
      }
    },
  }
}

/** Approves a refund and copies the store; executes it until it is verified; puts the copy back. */
async function takenBack(options: Partial<ExecutionOptions> = {}) {
  const set = await scene(options)
  const first = await set.start()
  const proposal = await approved(first.runtime, set.world.input())
  const other = await approved(first.runtime, set.world.input())
  await set.world.clock.advance(10)
  const putBack = set.backup()
  await first.runtime.execute(requester, proposal)
  await set.world.clock.advance(5_000)
  expect(await answerOf(first.runtime.reconcile(service, proposal))).toBe('verified')
  await set.stop()
  putBack()
  return { ...set, proposal, other, ...(await set.start()) }
}

async function liveOf(store: Store, ref: string) {
  const stored = await store.proposal(reference(TENANT), reference(ref))
  if (stored?.kind !== 'live') throw new Error('it is live')
  return stored.proposal
}

describe('trace S14, rule R15: an older copy of the store', () => {
  it('trace S14 admits nothing until an operator acknowledges it, and then finds by reading what was done before', async () => {
    const { world, store, runtime, proposal } = await takenBack()

    expect(await answerOf(runtime.execute(requester, proposal))).toBe('blocked restore_unacknowledged')
    expect((await store.restore()).open).toMatchObject({ number: 1, finding: 'behind', admissions: 0, witnessed: 1 })
    await acknowledgeRestore({ store, ...BY })
    expect(await answerOf(runtime.execute(requester, proposal))).toBe('failed_unknown lost_call_found')
    expect(await answerOf(runtime.reconcile(service, proposal))).toBe('verified')

    expect(world.action.calls.execute).toBe(1)
    expect(world.action.business.booked).toHaveLength(1)
  })

  it('rule R15 asks the target before a first call, and takes no absence for an answer until lost calls have landed', async () => {
    const { world, store, runtime, other } = await takenBack()
    await acknowledgeRestore({ store, ...BY })
    const looksBefore = world.action.calls.verify

    expect(await answerOf(runtime.execute(requester, other))).toBe('blocked restore_unsettled')
    await world.clock.advance(BOUNDARY_MS)
    expect(await answerOf(runtime.execute(requester, other))).toBe('verification_pending')

    expect(world.action.calls.verify - looksBefore).toBe(2)
    expect(world.action.calls.execute).toBe(2)
  })

  it('rule R15 calls nothing while the target cannot be asked', async () => {
    const { world, store, runtime, other } = await takenBack()
    await acknowledgeRestore({ store, ...BY })
    await world.clock.advance(BOUNDARY_MS)
    world.action.methods.verify = async () => ({ status: 'target_unavailable' })

    expect(await answerOf(runtime.execute(requester, other))).toBe('blocked restore_unsettled')
    expect(world.action.calls.execute).toBe(1)
  })

  it('rule R15 is over for what was prepared after one boundary: it is called without a look', async () => {
    const { world, store, runtime } = await takenBack()
    await acknowledgeRestore({ store, ...BY })
    const early = await approved(runtime, world.input())
    expect(await answerOf(runtime.execute(requester, early))).toBe('blocked restore_unsettled')
    await world.clock.advance(BOUNDARY_MS)
    const looksBefore = world.action.calls.verify

    expect(await answerOf(runtime.execute(requester, await approved(runtime, world.input())))).toBe(
      'verification_pending',
    )
    expect(world.action.calls.verify).toBe(looksBefore)
  })

  it('case Z12 finds a lost call of a later generation by its own key', async () => {
    const set = await scene({ contract: { acceptProof: { failure: ['terminal'], resend: ['terminal'] } } })
    const first = await set.start()
    const { runtime, world } = { runtime: first.runtime, world: set.world }
    const input = world.input()
    const one = await approved(runtime, input)
    world.action.methods.execute = async () => ({ status: 'failed_known', reason: 'card_expired' })
    expect(await answerOf(runtime.execute(requester, one))).toBe('failed_known card_expired')
    const { proposal } = await runtime.prepare(requester, input)
    const view = await runtime.read(finance1, proposal)
    if (view.kind !== 'proposal') throw new Error('it was just prepared')
    await runtime.approve(finance1, proposal, { commitment: view.commitment })
    const putBack = set.backup()
    let sent = ''
    world.action.methods.execute = async ({ idempotencyKey }) => {
      sent = idempotencyKey
      return { status: 'accepted' }
    }
    await runtime.execute(requester, proposal)
    await set.stop()
    putBack()
    const again = await set.start()
    await acknowledgeRestore({ store: again.store, ...BY })
    const asked: string[][] = []
    world.action.methods.verify = async ({ idempotencyKeys }) => {
      asked.push([...idempotencyKeys])
      return idempotencyKeys.some((key) => key === sent)
        ? unsound({ status: 'verified_completion', identity: sent, matches: 1, facts: {} })
        : { status: 'provisional_absence', identity: [...idempotencyKeys] }
    }

    expect(await answerOf(again.runtime.execute(requester, proposal))).toBe('failed_unknown lost_call_found')
    expect(asked[0]).toContain(sent)
    const effect = await again.store.effect((await liveOf(again.store, proposal)).effect)
    expect(effect?.attempts.at(-1)).toMatchObject({ generation: 2, idempotencyKey: sent })
  })

  it('keeps in the store what was found and who acknowledged it', async () => {
    const { store, world } = await takenBack()

    await acknowledgeRestore({ store, ...BY })

    expect(await acknowledgeRestore({ store, ...BY })).toBeNull()
    expect(await store.restore()).toMatchObject({
      open: null,
      last: { finding: 'behind', acknowledged: { ...BY, at: world.clock.now() } },
    })
  })

  it('is found out although nothing else is asked of it, and by every process that uses the file', async () => {
    const { start, other } = await takenBack()

    const second = await start()

    expect(await answerOf(second.runtime.execute(requester, other))).toBe('blocked restore_unacknowledged')
  })

  it('is not used by a store that had the other file open, and found out by the next one', async () => {
    const set = await scene()
    const { runtime, store } = await set.start()
    const proposal = await approved(runtime, set.world.input())
    const putBack = set.backup()
    await runtime.execute(requester, proposal)
    putBack()

    expect(await answerOf(runtime.execute(requester, proposal))).toBe('store_unavailable')
    await set.stop()
    const again = await set.start()
    expect(await answerOf(again.runtime.execute(requester, proposal))).toBe('blocked restore_unacknowledged')
    await store.close()
  })
})

describe('trace S14: automatic execution', () => {
  it('trace S14 of what is approved in an older copy is not begun by a worker that nobody has told of it', async () => {
    const { world, store, runtime, proposal } = await takenBack({ contract: { execution: 'when_approved' } })
    const roles = ['executor', 'privacy-officer']
    const worker = new Worker({ runtime, principal: { kind: 'service', id: 'worker' }, roles })
    const pass = async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 1_000) await world.clock.advance(1_000)
    }
    worker.start()

    await pass(20_000)
    expect(world.action.calls.execute).toBe(1)
    expect((await liveOf(store, proposal)).blockedBy).toBe('restore_unacknowledged')

    await acknowledgeRestore({ store, ...BY })
    await pass(300_000)
    expect((await liveOf(store, proposal)).status).toBe('verified')
    expect(new Set(world.action.business.booked.map(({ key }) => key)).size).toBe(world.action.business.booked.length)
    expect(world.action.calls.execute).toBe(2)
    const stopped = worker.stop({ limitMs: 1 })
    await world.clock.advance(1)
    await stopped
  })
})

describe('rule R15: a store that is replaced beneath connections that stay open', () => {
  it('rule R15 is found out by what an admission counts as: nothing is called, and nothing after it', async () => {
    const set = await scene()
    const { runtime } = await set.start()
    const second = await approved(runtime, set.world.input())
    const third = await approved(runtime, set.world.input())
    await runtime.execute(requester, await approved(runtime, set.world.input()))
    // As behind a pooler, whose server is another one now: what was admitted last is not in it.
    const database = new Database(set.path)
    const [guard] = database.prepare("select sql from sqlite_schema where name = 'store_counts_grow'").pluck().all()
    database.exec(`drop trigger store_counts_grow; update store_counts set admissions = 0; ${String(guard)}`)
    database.close()

    expect(await answerOf(runtime.execute(requester, second))).toBe('persistence_outcome_unknown')
    expect(await answerOf(runtime.execute(requester, third))).toBe('store_unavailable')

    expect(set.world.action.calls.execute).toBe(1)
    await set.stop()
    const again = await set.start()
    expect((await again.store.restore()).open).toMatchObject({ finding: 'behind', witnessed: 1 })
  })
})

describe('rule R15: the witness', () => {
  it('rule R15 is missing beside a store that has admissions: nothing is admitted', async () => {
    const set = await scene()
    const { runtime } = await set.start()
    await runtime.execute(requester, await approved(runtime, set.world.input()))
    const waiting = await approved(runtime, set.world.input())
    await set.stop()
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${set.witness}${suffix}`, { force: true })

    const { runtime: later, store } = await set.start()

    expect(await answerOf(later.execute(requester, waiting))).toBe('blocked restore_unacknowledged')
    expect((await store.restore()).open).toMatchObject({ finding: 'missing', admissions: 1, witnessed: null })
  })

  it('rule R15 knows of another store: nothing is admitted into this one', async () => {
    const set = await scene()
    const { runtime } = await set.start()
    await runtime.execute(requester, await approved(runtime, set.world.input()))
    await set.stop()
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${set.path}${suffix}`, { force: true })

    const { runtime: later, store } = await set.start()

    expect(await answerOf(later.execute(requester, await approved(later, set.world.input())))).toBe(
      'blocked restore_unacknowledged',
    )
    expect((await store.restore()).open).toMatchObject({ finding: 'changed' })
  })

  it('rule R15 may be behind the store, as after a crash between the commit and its record', async () => {
    const set = await scene()
    const { runtime } = await set.start()
    const proposal = await approved(runtime, set.world.input())
    const next = await approved(runtime, set.world.input())
    const before = `${set.witness}.before`
    await set.stop()
    copyFileSync(set.witness, before)
    const again = await set.start()
    await again.runtime.execute(requester, proposal)
    await set.stop()
    copyFileSync(before, set.witness)

    const later = await set.start()

    expect(await answerOf(later.runtime.execute(requester, next))).toBe('verification_pending')
  })

  it('rule R15 knows of an admission before anything is called', async () => {
    const set = await scene()
    const { runtime } = await set.start()
    const known: (number | undefined)[] = []
    const { execute } = set.world.action.methods
    set.world.action.methods.execute = async (input) => {
      known.push((await witnessFile(set.witness).read())?.admissions)
      return execute(input)
    }

    await runtime.execute(requester, await approved(runtime, set.world.input()))
    await runtime.execute(requester, await approved(runtime, set.world.input()))

    expect(known).toEqual([1, 2])
  })

  it('rule R15 cannot be told: nothing is called, and what became of the admission is found out by reading', async () => {
    const set = await scene()
    let isFull = false
    const inner = witnessFile(set.witness)
    const failing: Witness = {
      read: () => inner.read(),
      async record(known) {
        if (isFull) throw new Error('no space left')
        await inner.record(known)
      },
      recordErasures: (erased) => inner.recordErasures(erased),
      erasures: (after, limit) => inner.erasures(after, limit),
      close: () => inner.close(),
    }
    const { runtime, store } = await set.start(failing)
    const proposal = await approved(runtime, set.world.input())
    const runner = new ActionRunner({ store, clock: set.world.clock })
    isFull = true

    expect(await answerOf(runtime.execute(requester, proposal))).toBe('persistence_outcome_unknown')
    let calls = 0
    const call = runner.execute('charge', () => (calls += 1), { request: { amount: 1 }, idempotencyKey: 'order-1' })
    await expect(call).rejects.toMatchObject({ code: 'action_persistence' })

    expect(calls).toBe(0)
    expect(set.world.action.calls.execute).toBe(0)
    expect(await answerOf(runtime.execute(requester, proposal))).toBe('in_progress')
  })

  it('rule R15 is told of many admissions at once by one record', async () => {
    const set = await scene()
    let records = 0
    const inner = witnessFile(set.witness)
    const slow: Witness = {
      read: () => inner.read(),
      async record(known) {
        records += 1
        await immediate()
        await inner.record(known)
      },
      recordErasures: (erased) => inner.recordErasures(erased),
      erasures: (after, limit) => inner.erasures(after, limit),
      close: () => inner.close(),
    }
    const { store } = await set.start(slow)
    const runner = new ActionRunner({ store, clock: set.world.clock })
    const before = records

    const calls = Array.from({ length: 20 }, (_, index) => {
      return runner.execute('charge', () => index, { request: { index }, idempotencyKey: `order-${index}` })
    })
    const results = await Promise.all(calls)

    expect(results.every(({ status }) => status === 'CONFIRMED')).toBe(true)
    expect(records - before).toBeLessThan(20)
    expect(await inner.read()).toMatchObject({ admissions: 20 })
  })
})

describe('rule R15: guarded calls are admissions too', () => {
  it('rule R15 makes none until the restore is acknowledged and what was called before has landed', async () => {
    const set = await scene()
    const { store } = await set.start()
    const runner = new ActionRunner({ store, clock: set.world.clock })
    const putBack = set.backup()
    let calls = 0
    const charge = (given: ActionRunner) =>
      given.execute('charge', () => (calls += 1), { request: { amount: 1 }, idempotencyKey: 'order-1' })
    await charge(runner)
    await set.stop()
    putBack()
    const again = await set.start()
    const later = new ActionRunner({ store: again.store, clock: set.world.clock })

    await expect(charge(later)).rejects.toBeInstanceOf(ActionHeldError)
    await acknowledgeRestore({ store: again.store, ...BY })
    await expect(charge(later)).rejects.toMatchObject({ code: 'action_held', invoked: 'no', nextStep: 'wait' })
    expect(calls).toBe(1)
    await set.world.clock.advance(BOUNDARY_MS)
    expect((await charge(later)).status).toBe('CONFIRMED')
  })
})

describe('trace S43, invariant I26: erasures that a restore has undone', () => {
  async function undone() {
    const set = await scene()
    const { runtime } = await set.start()
    const { proposal } = await runtime.prepare(requester, set.world.input())
    const doubtful = await approved(runtime, set.world.input())
    const putBack = set.backup()
    expect(await runtime.erase(privacy, proposal, { reason: 'customer_request' })).toMatchObject({
      outcome: 'erased',
      backups: 'not_covered',
    })
    await set.stop()
    putBack()
    return { ...set, proposal, doubtful }
  }

  it('trace S43 are carried out again before a runtime serves anything', async () => {
    const { start, proposal } = await undone()

    const { runtime, store } = await start()

    expect(await runtime.read(reader, proposal)).toMatchObject({ kind: 'erased' })
    const chain = await store.receipts(reference(TENANT), reference(proposal))
    expect(chain.every(({ body }) => body === null)).toBe(true)
    expect((await store.restore()).open).toMatchObject({ finding: 'behind' })
  })

  it('invariant I26 stand in the way of an acknowledgement until they are', async () => {
    const { path, witness, world, start } = await undone()
    const bare = await sqliteStore(path, { clock: world.clock, witness: witnessFile(witness) })
    onTestFinished(() => bare.close())

    await expect(acknowledgeRestore({ store: bare, ...BY })).rejects.toMatchObject({ code: 'store_unavailable' })
    await start()
    expect(await acknowledgeRestore({ store: bare, ...BY })).toMatchObject({ finding: 'behind' })
  })

  it('invariant I26 are in the ledger before it is said that anything is erased', async () => {
    const set = await scene()
    const inner = witnessFile(set.witness)
    const refusing: Witness = {
      read: () => inner.read(),
      record: (known) => inner.record(known),
      async recordErasures() {
        throw new Error('no space left')
      },
      erasures: (after, limit) => inner.erasures(after, limit),
      close: () => inner.close(),
    }
    const { runtime } = await set.start(refusing)
    const { proposal } = await runtime.prepare(requester, set.world.input())

    expect(await answerOf(runtime.erase(privacy, proposal, { reason: 'customer_request' }))).toBe('store_unavailable')
    await set.stop()
    const again = await set.start()
    expect(await again.runtime.erase(privacy, proposal, { reason: 'customer_request' })).toMatchObject({
      outcome: 'erased',
    })
    expect(await inner.erasures(0, 10)).toMatchObject([{ tenant: TENANT, proposal }])
    expect(existsSync(set.witness)).toBe(true)
  })
})
