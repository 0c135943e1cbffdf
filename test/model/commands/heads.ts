// How a run begins: with nothing, or some way into the life of a proposal, so that drawn commands get further.
import { fc } from '@fast-check/vitest'
import type { ProofKind } from '../../../src/effect/effect.ts'
import { type LookScript, SMOOTH } from '../scripts.ts'
import type { Step } from './command.ts'
import { callScript } from './effects.ts'
import { authorised, executedWith, lookedFor } from './episodes.ts'

const called: fc.Arbitrary<readonly Step[]> = fc
  .tuple(authorised, callScript)
  .map(([steps, call]) => [...steps, executedWith(call, { kind: 'provisional' })])

/** A call was lost on its way or lands late, and the target says for good that there is nothing. */
const absent: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    authorised,
    fc.constantFrom<ProofKind>('terminal', 'settled', 'cancelled', 'fenced'),
    fc.constantFrom(null, 70_000, 200_000),
    fc.boolean(),
  )
  .map(([steps, proof, landsAfterMs, isHeard]) => {
    const look: LookScript = { kind: 'final', proof }
    const call = {
      ...SMOOTH,
      says: 'threw' as const,
      landsAfterMs,
      saysAfterMs: isHeard ? 0 : null,
      heedsSignal: isHeard,
    }
    return [...steps, executedWith(call, look), ...lookedFor(look)]
  })

/** The ways in which a run may begin. */
export const heads: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { arbitrary: fc.constant([]), weight: 1 },
  { arbitrary: authorised, weight: 3 },
  { arbitrary: called, weight: 5 },
  { arbitrary: absent, weight: 2 },
)
