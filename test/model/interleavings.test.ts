// Two operations at once: whatever order the store is reached in, every invariant holds and only one has its way.
import { setTimeout } from 'node:timers/promises'
import { fc, test } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { PatientClock } from '../store/patient-clock.ts'
import { freshSchema, serverUrl } from '../store/postgres-fixture.ts'
import type { ErasureResult } from '../../src/index.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import type { Called } from './book.ts'
import { told } from './commands/command.ts'
import type { DatabaseGround } from './database-ground.ts'
import { type Ground, memoryGround } from './grounds.ts'
import { Checks } from './invariants.ts'
import type { ProfileName } from './payment.ts'
import { postgresGround } from './postgres-ground.ts'
import { SMOOTH, type LookScript, type Word } from './scripts.ts'
import { sqliteGround } from './sqlite-ground.ts'
import { START, World } from './world.ts'

/** On the file, every commit costs a sync; on the server, some twenty answers. */
const RUNS = { memory: 200, sqlite: 40, postgres: 20 } as const

const TRIES_MAX = 100

const keyring = ephemeralKeyring()
let tenants = 0

/** A world in which, once it is turned on, every call of the store waits for its turn, before it and after it. */
interface Track {
  readonly world: World
  /** Another runtime takes the place of the first, which stays where it is. */
  readonly reopen: () => Promise<void>
  readonly race: (...operations: readonly (() => Promise<string>)[]) => Promise<readonly string[]>
}

describe.each(['memory', 'sqlite', 'postgres'] as const)('at once on %s', (kind) => {
  let clock = new PatientClock(START)
  let database: DatabaseGround | null = null

  beforeAll(async () => {
    const time = { now: () => clock.now() }
    if (kind === 'sqlite') database = await sqliteGround(time)
    if (kind === 'postgres') database = await postgresGround(await serverUrl(), freshSchema(), time)
  })
  afterAll(async () => {
    await database?.close()
  })

  async function track(scheduler: fc.Scheduler, profile: ProfileName = 'resending'): Promise<Track> {
    tenants += 1
    clock = new PatientClock(START)
    const ground: Ground = database ?? memoryGround(clock)
    const setting = { profile, enforcesPrecondition: true, seed: tenants }
    const world = new World({ ground, tenant: `tenant-${tenants}`, setting, keyring, clock })
    let isRacing = false
    const turn = async (label: string): Promise<void> => {
      if (isRacing) await scheduler.schedule(Promise.resolve(), label)
    }
    const between: Around = async (name, call) => {
      await turn(name)
      const answer = await call()
      await turn(`${name} answers`)
      return answer
    }
    await world.open(between)
    const checks = new Checks(world)
    return {
      world,
      reopen: () => world.open(between),
      async race(...operations) {
        isRacing = true
        const outcomes = operations.map(async (operation) => world.outcomeOf(operation))
        const answers = await scheduler.waitFor(Promise.all(outcomes))
        // An answer of the store that is still on its way has a turn to come.
        do {
          await scheduler.waitIdle()
          await clock.idle()
        } while (scheduler.count() > 0)
        isRacing = false
        world.takeEnded()
        await checks.all()
        return answers.map((answer) => answer.split(' {', 1)[0] ?? '')
      },
    }
  }

  test.prop([fc.scheduler()], { numRuns: RUNS[kind] })(
    'approve ∥ expire: an approval in time stays on record, and what has expired takes none',
    async (scheduler) => {
      const { world, race } = await track(scheduler)
      const ref = await prepared(world)
      const { commitment, expiresAt } = proposalOf(world, ref)
      await clock.advance(expiresAt - clock.now() - 1)

      const [approved, , expired] = await race(
        async () => told(await world.runtime.approve(world.session('fiona'), ref, { commitment })),
        async () => {
          await scheduler.schedule(Promise.resolve(), 'the clock strikes')
          clock.setWall(expiresAt)
          return 'struck'
        },
        async () => {
          const { expired: refs } = await world.runtime.expireDue(world.session('worker'))
          return refs.join()
        },
      )

      const { approvals } = held(world, ref)
      expect(approved).toMatch(/^(?:approved|expired)$/u)
      expect(approvals).toHaveLength(approved === 'approved' ? 1 : 0)
      for (const { decidedAt } of approvals) expect(decidedAt).toBeLessThan(expiresAt)
      const isOver = expired === ref || approved === 'expired'
      expect(proposalOf(world, ref).status).toBe(isOver ? 'expired' : 'approved')
    },
  )

  test.prop([fc.scheduler()], { numRuns: RUNS[kind] })(
    'withdraw ∥ execute: withdrawn and never called, or called and not withdrawn',
    async (scheduler) => {
      const { world, race } = await track(scheduler)
      const ref = await approved(world)

      const [withdrawn, executed] = await race(
        async () => told(await world.runtime.withdraw(world.session('rita'), ref)),
        async () => told(await world.runtime.execute(world.session('worker'), ref)),
      )

      expect([withdrawn, executed, callsOf(world).length]).toEqual(
        withdrawn === 'withdrawn'
          ? ['withdrawn', 'withdrawn', 0]
          : [expect.stringMatching(/^(?:in_progress|verification_pending)$/u), 'verification_pending', 1],
      )
    },
  )

  test.prop([fc.scheduler()], { numRuns: RUNS[kind] })(
    'erase ∥ execute: erased and never called, or called and erased once that is settled',
    async (scheduler) => {
      const { world, race } = await track(scheduler)
      const ref = await approved(world)

      const [erased, executed] = await race(
        async () => {
          const { outcome, reason } = await world.runtime.erase(world.session('pia'), ref, { reason: 'gdpr' })
          return reason ?? outcome
        },
        async () => told(await world.runtime.execute(world.session('worker'), ref)),
      )

      const isErased = held(world, ref).tombstone !== null
      expect([erased, isErased, callsOf(world).length]).toEqual(
        isErased
          ? [expect.stringMatching(kind === 'postgres' ? /^(?:erased|files_in_use)$/u : /^erased$/u), true, 0]
          : ['effect_unsettled', false, 1],
      )
      // On a server the other one may have been able to still see what was erased; then its files are done later.
      if (erased === 'files_in_use')
        expect(await erasedLater(world)).toMatchObject([{ outcome: 'erased', proposal: ref }])
      expect(executed).toMatch(isErased ? /^(?:refused not_found|withdrawn)$/u : /^verification_pending$/u)
    },
  )

  const late = fc.record({
    says: fc.constantFrom<Word>('accepted', 'threw', 'failed_known', 'definitive', 'not_sent'),
    landsAfterMs: fc.constantFrom(null, 0),
    look: fc.constantFrom<LookScript>({ kind: 'provisional' }, { kind: 'reversed' }, { kind: 'unavailable' }),
    isThoughtDead: fc.boolean(),
  })

  test.prop([fc.scheduler(), late], { numRuns: RUNS[kind] })(
    'verify ∥ late result: both are kept, and only what was read decides',
    async (scheduler, { says, landsAfterMs, look, isThoughtDead }) => {
      const { world, race, reopen } = await track(scheduler)
      const ref = await approved(world)
      const call = { landsAfterMs, says, saysAfterMs: null, heedsSignal: false, isSentTwice: false }
      Object.assign(world.around.scripts, { call, look })
      const calling = world.outcomeOf(async () => told(await world.runtime.execute(world.session('worker'), ref)))
      // Until it is under way: a key is unwrapped in real time.
      while (world.around.release.size === 0) await clock.advance(0)
      // The clock jumped before somebody else was there, who takes the lease for over; or it is.
      if (isThoughtDead) {
        clock.setWall(START + 600_000)
        await reopen()
      } else await clock.advance(81_000)
      if (isThoughtDead) await world.runtime.reconcile(world.session('worker'), ref)
      const before = proposalOf(world, ref).status

      const [verified] = await race(
        async () => told(await world.runtime.reconcile(world.session('oscar'), ref, { now: true })),
        async () => {
          for (const release of world.around.release) release()
          return (await calling).split(' {', 1)[0] ?? ''
        },
      )
      await clock.advance(0)

      const effect = [...world.book.effects.values()][0]
      const kept = effect?.observations.filter(({ flags }) => flags.includes('late')) ?? []
      expect(kept.map(({ verdict }) => verdict)).toEqual(['UNKNOWN'])
      expect(before).toMatch(/^(?:failed_unknown|verification_pending|verified|verification_unresolved)$/u)
      const isSeen = landsAfterMs === 0 && look.kind !== 'unavailable'
      const { status } = proposalOf(world, ref)
      expect(status).toMatch(
        isSeen ? /^verified$/u : /^(?:verification_pending|failed_unknown|verification_unresolved)$/u,
      )
      expect(verified).not.toBe('broken')
    },
  )

  const words = fc.constantFrom<Word>('accepted', 'threw', 'failed_known')

  test.prop([fc.scheduler(), words], { numRuns: RUNS[kind] })(
    'execute ∥ execute on two proposals of one effect: one is called, and another one only after a proof',
    async (scheduler, says) => {
      const { world, race } = await track(scheduler)
      const refs = [await approved(world), await approved(world)]
      const landsAfterMs = says === 'failed_known' ? null : 0
      Object.assign(world.around.scripts, { call: { ...SMOOTH, says, landsAfterMs }, look: { kind: 'provisional' } })

      const outcomes = await race(
        ...refs.map((ref) => async () => told(await world.runtime.execute(world.session('worker'), ref))),
      )

      const made = callsOf(world)
      if (says === 'failed_known') {
        expect(made.length).toBeGreaterThan(0)
        expect(outcomes).toContain('failed_known')
      } else {
        // What the second one resolves may be what the first one has just done.
        const second = outcomes.includes('stale') ? 'stale' : 'replayed'
        const first = says === 'accepted' ? 'verification_pending' : 'failed_unknown'
        expect([made.length, outcomes.toSorted()]).toEqual([1, [first, second].toSorted()])
      }
    },
  )
})

async function prepared(world: World): Promise<string> {
  const command = { order: 'ORD-1001', intent: 'damaged item', amount: { amount: '10.00', currency: 'EUR' } }
  const input = { action: 'example.model/payment@1', command }
  const { proposal } = await world.runtime.prepare(world.session('rita'), input)
  return proposal
}

async function approved(world: World): Promise<string> {
  const ref = await prepared(world)
  const { commitment } = proposalOf(world, ref)
  await world.runtime.approve(world.session('fiona'), ref, { commitment })
  return ref
}

function held(world: World, ref: string): NonNullable<ReturnType<World['book']['proposals']['get']>> {
  const found = world.book.proposals.get(ref)
  if (found === undefined) throw new Error(`${ref} was never stored`)
  return found
}

function proposalOf(world: World, ref: string): ReturnType<typeof held>['proposal'] {
  return held(world, ref).proposal
}

function callsOf(world: World): readonly Called[] {
  return world.book.entries.filter((entry) => entry.kind === 'called')
}

/** What becomes of the erasures that are due, once nobody is in the way of the files any more: the server itself may be, too. */
async function erasedLater(world: World): Promise<readonly ErasureResult[]> {
  for (let tries = 1; ; tries += 1) {
    const results = await world.runtime.eraseDue(world.session('pia'))
    if (tries === TRIES_MAX || results.every(({ outcome }) => outcome === 'erased')) return results
    await setTimeout(20)
  }
}
