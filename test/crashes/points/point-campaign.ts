// Carries out crash points on one store: a life up to its point, its end, and another runtime that goes on.
import { parseReference } from '../../../src/effect/reference.ts'
import { define } from '../../../src/proposal/definition/definition.ts'
import { localKeyring, newKeyringText } from '../../../src/runtime/keys/local-keyring.ts'
import type { Store } from '../../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../../src/runtime/runtime.ts'
import { seededIds } from '../../../src/testing/seeded-ids.ts'
import { VirtualClock } from '../../../src/testing/virtual-clock.ts'
import { dumpStore } from '../../runtime/dump-store.ts'
import { brokenIn } from '../../runtime/invariants.ts'
import { TENANT } from '../../runtime/sessions.ts'
import { type Crowd, crowded } from '../../store/crowded.ts'
import { Figures } from '../figures.ts'
import { type Acknowledged, callsIn, Ledger } from '../ledger.ts'
import { bookingTroubles, lostIn } from '../recovery.ts'
import { refundDesk } from '../refund-desk.ts'
import { LIVES, Living, moodOf } from '../script.ts'
import { CRASH_POINTS, type CrashPoint, pointName } from './crash-points.ts'
import { Mortal } from './mortal.ts'

const START: number = Date.UTC(2030, 0, 1, 12)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const tenant = parseReference(TENANT, '')

/** How much, and on what. */
export interface PointCampaign {
  /** Opens the store under a clock that is moved. */
  readonly open: (clock: { now(): number }) => Promise<Store>
  readonly iterations: number
  readonly seed: number
  /** Whether the runtime that goes on ends as well, once, at a point that is drawn. */
  readonly isTwice: boolean
}

/** Each iteration alone, or in a crowd: within commits that others share. */
const CROWDS = [null, 'conflicts', 'failures'] as const

/** Every point so often; after each, and over everything at the end, all is held against what was told and booked. */
export async function pointCampaign({ open, iterations, seed, isTwice }: PointCampaign): Promise<Figures> {
  const figures = new Figures()
  const keyring = localKeyring(newKeyringText())
  const ledger = new Ledger()
  const chance = seededIds(seed)
  let clock = new VirtualClock(START)
  let serial = 0
  let crowd: Crowd | null = null
  const store = await open({ now: () => clock.now() })
  try {
    for (let iteration = 0; iteration < iterations; iteration++) {
      for (const point of CRASH_POINTS) {
        const points = isTwice ? [point, drawn(point)] : [point]
        crowd = CROWDS[iteration % CROWDS.length] ?? null
        await carryOut(point, points, `${point.life} ${seed}-${iteration}-${serial}`)
      }
    }
    figures.blame('at the end', await brokenAtTheEnd())
  } finally {
    await store.close()
  }
  return figures

  async function carryOut(first: CrashPoint, points: readonly CrashPoint[], order: string): Promise<void> {
    const begun = ledger.entries.length
    for (const point of points) {
      const hasDied = await lived(point, order)
      if (hasDied) figures.reach(`${point === first ? '' : 'then '}${pointName(point)}`)
      else if (point === first) figures.blame(pointName(point), ['the point was not reached'])
    }
    await lived(null, order)
    const entries = ledger.entries.slice(begun)
    const told = entries.filter((entry): entry is Acknowledged => entry.kind === 'acknowledged')
    const where = `${pointName(first)} of ${order}`
    figures.blame(where, await lostIn(store, entries))
    const ref = told.at(-1)?.proposal
    const found = ref === undefined ? null : await store.proposal(tenant, parseReference(ref, ''))
    const end = found === null ? 'missing' : found.kind === 'erased' ? 'erased' : found.proposal.status
    figures.recovered(where, { broken: bookingTroubles(entries, order, end), ends: { [first.life]: end } })
    // Nobody erases it here.
    const due = first.life === 'paid' ? 'verified' : LIVES[first.life].end
    if (end !== due && end !== 'verification_unresolved') figures.blame(where, [`its end is ${end}`])
  }

  /** Whether it ended on the way. Time goes on between two. */
  async function lived(point: CrashPoint | null, order: string): Promise<boolean> {
    serial += 1
    clock = new VirtualClock(clock.now() + 2 * HOUR_MS)
    const here = clock
    const mortal = new Mortal(point)
    ledger.append({ kind: 'started', at: here.now() })
    const own = mortal.store(crowd === null ? store : crowded(store, crowd))
    const desk = refundDesk({
      ledger,
      store,
      clock: here,
      mood: moodOf,
      whileExecuting: async () => mortal.pass('within execute'),
    })
    const living = async (): Promise<'alive'> => {
      const runtime = await ProposalRuntime.open({
        store: own,
        keyring: mortal.keyring(keyring),
        actions: [mortal.action(desk)],
        clock: here,
        ids: seededIds(seed + serial),
      })
      const name = (order.split(' ')[0] ?? '') as CrashPoint['life']
      const life = new Living({ runtime, clock: here, ledger }, name, order)
      await life.untilItsEnd()
      if (name !== 'lapsed') return 'alive'
      await here.advance(DAY_MS)
      await life.afterADay()
      return 'alive'
    }
    return (await Promise.race([living(), mortal.death])) === 'dead'
  }

  function drawn({ life }: CrashPoint): CrashPoint {
    const others = CRASH_POINTS.filter((point) => point.life === life)
    return others[Math.floor(chance.fraction() * others.length)] ?? { place: '', life, nth: 1 }
  }

  async function brokenAtTheEnd(): Promise<readonly string[]> {
    const desk = refundDesk({ ledger, store, clock, mood: moodOf })
    const witnessed = { log: callsIn(ledger.entries), definitions: [define(desk)], booked: ledger.bookings() }
    return brokenIn(await dumpStore({ store, keyring, tenants: [TENANT] }, witnessed))
  }
}
