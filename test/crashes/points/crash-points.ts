// The named crash points: places around every commit and every call of the host, keys and files, at which a process may end.
import type { LifeName } from '../script.ts'

/** A place in the life of a proposal: the n-th time, from 1, that the life comes by it. */
export interface CrashPoint {
  readonly place: string
  readonly life: LifeName
  readonly nth: number
}

/** The places of each life, by what is done there; the last ones are met when the refund is sent again. */
const DONE: readonly (readonly [LifeName, string, number?])[] = [
  ['paid', 'prepare'],
  ['paid', 'wrap'],
  ['paid', 'commit prepare: proposal.prepared'],
  ['paid', 'commit decide: approval.approved'],
  ['paid', 'resolve'],
  ['paid', 'unwrap'],
  ['paid', 'commit start_attempt: execution.started'],
  ['paid', 'execute'],
  ['paid', 'commit complete: execution.accepted'],
  ['paid', 'verify'],
  ['paid', 'commit observe: verification.verified_completion'],
  ['doubted', 'commit complete: execution.failed_unknown'],
  ['unsent', 'commit complete: execution.not_sent'],
  ['rejected', 'commit decide: approval.rejected'],
  ['withdrawn', 'commit update: proposal.withdrawn'],
  ['hidden', 'commit update: proposal.erased'],
  ['hidden', 'commit erase: proposal.erased'],
  ['hidden', 'scrub'],
  ['lapsed', 'commit update: proposal.expired'],
  ['vanished', 'commit observe: verification.authoritative_final_absence'],
  ['vanished', 'commit start_attempt: execution.started', 2],
]

/** Every one is reached in every campaign, or the campaign has shown nothing. Spec: reliability 3.1 and 4.4. */
export const CRASH_POINTS: readonly CrashPoint[] = [
  ...DONE.flatMap(([life, what, nth = 1]) =>
    ['before', 'after'].map((when): CrashPoint => ({ place: `${when} ${what}`, life, nth })),
  ),
  // The target has the request; nothing is booked yet.
  { place: 'within execute', life: 'paid', nth: 1 },
  { place: 'before execute', life: 'vanished', nth: 2 },
  { place: 'within execute', life: 'vanished', nth: 2 },
  // The first call throws and does not come by it.
  { place: 'after execute', life: 'vanished', nth: 1 },
]

/** How a point is called. */
export function pointName({ place, life, nth }: CrashPoint): string {
  return `${place} (${life}${nth === 1 ? '' : `, time ${nth}`})`
}
