// The plan of a seed: which faults there are in this run, and how often; each seed leaves some of them out (swarm testing).
import type { ProfileName } from '../model/payment.ts'
import type { Random } from './random.ts'

/** What may go wrong, and how often: of every commit, of every read, of every call, or of every event. */
export const FAULTS = {
  'commit refused': 0.08,
  'commit lost': 0.1,
  'commit lost_before': 0.06,
  'commit lands_late': 0.08,
  'commit slow': 0.05,
  'read failed': 0.02,
  'crash before_commit': 0.06,
  'crash after_commit': 0.06,
  'crash at_any_await': 0.006,
  'machine frozen': 0.15,
  'machine jumped': 0.1,
  'keys unavailable': 0.06,
  'directory down': 0.08,
  'call odd': 1,
  'look odd': 0.6,
  'look lies': 0.3,
  'resolve odd': 0.25,
} as const

export type Fault = keyof typeof FAULTS

/** Those that send again are the ones in which most can go wrong. */
const PROFILES_DRAWN: readonly (readonly [weight: number, profile: ProfileName])[] = [
  [1, 'cautious'],
  [3, 'resending'],
  [2, 'stopping'],
  [1, 'twoPeople'],
  [2, 'twoTargets'],
]

/** What a run is about. Everything in it comes from the seed. */
export interface Plan {
  readonly profile: ProfileName
  readonly enforcesPrecondition: boolean
  readonly tenants: readonly string[]
  /** How many machines there are at a time. */
  readonly machines: number
  /** How many things people do before the faults stop. */
  readonly events: number
  /** How far clocks of machines may be from that of the store. */
  readonly skewMs: number
  readonly latencyMs: number
  readonly rates: Readonly<Record<Fault, number>>
}

export function planOf(random: Random): Plan {
  const rates = Object.fromEntries(
    Object.entries(FAULTS).map(([fault, most]) => [fault, random.chance(0.4) ? 0 : most * random.fraction()]),
  ) as Record<Fault, number>
  return {
    profile: random.weighted(PROFILES_DRAWN),
    enforcesPrecondition: random.chance(0.5),
    tenants: random.chance(0.2) ? ['acme', 'globex'] : ['acme'],
    machines: random.pick([1, 2, 2, 3]),
    events: random.between(5, 16),
    skewMs: random.chance(0.5) ? 0 : random.between(100, 4_000),
    latencyMs: random.pick([0, 20, 2_000]),
    rates,
  }
}
