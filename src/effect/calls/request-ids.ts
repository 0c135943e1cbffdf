// Provider request ids: what the provider called the request, where it was seen, and whether two ids compete.
import type { Effect } from '../effect.ts'
import type { Reference } from '../reference.ts'

/** The ids of a call. Spec: evidence 3.6. */
export interface RequestIds {
  /** The first id of a confirmation; else the first that a call returned. Values are correlated with it. */
  readonly retained: Reference | null
  /** Every id that was seen, in the order of first sight; also those of answers that decided nothing. */
  readonly all: readonly Reference[]
  /** Two confirmations named different requests: there may be two effects. */
  readonly conflict: boolean
}

interface Sight {
  readonly id: Reference | null
  readonly confirms: boolean
  readonly returned: boolean
}

/** The ids on record. */
export function requestIdsOf(effect: Effect): RequestIds {
  const sights = sightsOf(effect)
  const confirmed = distinct(sights.filter(({ confirms }) => confirms))
  const returned = distinct(sights.filter((sight) => sight.returned))
  return {
    retained: confirmed[0] ?? returned[0] ?? null,
    all: distinct(sights),
    conflict: confirmed.length > 1,
  }
}

// An answer was given after the attempts that it covers had ended; clocks do not give order (design D11).
function sightsOf({ attempts, observations }: Effect): readonly Sight[] {
  const endings = attempts.map(({ ending }) => ({
    id: ending?.externalReference ?? null,
    confirms: ending?.evidence === 'CONFIRMED',
    returned: ending?.kind === 'returned',
  }))
  const sights: Sight[] = []
  let told = 0
  for (const { externalReference, verdict, source, answer, covers } of observations) {
    sights.push(...endings.slice(told, covers.to))
    told = Math.max(told, covers.to)
    const returned = source === 'executor' && answer === 'returned'
    sights.push({ id: externalReference, confirms: verdict === 'CONFIRMED', returned })
  }
  return [...sights, ...endings.slice(told)]
}

function distinct(sights: readonly Sight[]): readonly Reference[] {
  return [...new Set(sights.flatMap(({ id }) => (id === null ? [] : [id])))]
}
