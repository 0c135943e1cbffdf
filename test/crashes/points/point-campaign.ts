// Carries out crash points on one store: a life up to its point, its end, and another runtime that goes on.
import { localKeyring, newKeyringText } from '../../../src/runtime/keys/local-keyring.ts'
import type { Store } from '../../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../../src/runtime/runtime.ts'
import { seededIds } from '../../../src/testing/seeded-ids.ts'
import { VirtualClock } from '../../../src/testing/virtual-clock.ts'
import { type Crowd, crowded } from '../../store/crowded.ts'
import { Figures } from '../figures.ts'
import { Ledger } from '../ledger.ts'
import { brokenAtTheEnd, judgeLife, liveThrough } from '../one-life.ts'
import { refundDesk } from '../refund-desk.ts'
import { moodOf } from '../script.ts'
import { CRASH_POINTS, type CrashPoint, pointName } from './crash-points.ts'
import { Mortal } from './mortal.ts'

const START: number = Date.UTC(2030, 0, 1, 12)
const HOUR_MS = 3_600_000

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
    figures.blame('at the end', await brokenAtTheEnd({ store, ledger, keyring }))
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
    const where = `${pointName(first)} of ${order}`
    figures.recovered(where, await judgeLife(store, ledger.entries.slice(begun), order))
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
      await liveThrough({ runtime, clock: here, ledger }, order)
      return 'alive'
    }
    return (await Promise.race([living(), mortal.death])) === 'dead'
  }

  function drawn({ life }: CrashPoint): CrashPoint {
    const others = CRASH_POINTS.filter((point) => point.life === life)
    return others[Math.floor(chance.fraction() * others.length)] ?? { place: '', life, nth: 1 }
  }
}
