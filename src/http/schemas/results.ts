// What operations answer: the result of each, whatever its outcome.
import { z } from 'zod'
import { OUTCOMES, type OutcomeCode } from '../../proposal/codes.ts'
import {
  anyJson,
  attention,
  count,
  evidenceSummary,
  instant,
  nextStep,
  reasonCode,
  reference,
  status,
} from './common.ts'
import { component } from './components.ts'

const outcomes = Object.keys(OUTCOMES) as [OutcomeCode, ...OutcomeCode[]]

export const operationResult = component(
  'OperationResult',
  'What became of an operation on a proposal, and how the proposal stands now.',
  z.strictObject({
    outcome: z.enum(outcomes),
    reason: reasonCode.nullable(),
    proposal: reference,
    status,
    revision: count,
    commitment: z.string().describe('What an approval must name; empty once the proposal is erased.'),
    nextStep,
    waitUntil: instant.nullable().describe('From when on the next step is useful, if it is to wait.'),
    evidence: evidenceSummary.nullable(),
    attention: z.array(attention),
    replacedBy: reference.nullable(),
    supersededBy: reference.nullable(),
    result: anyJson.describe('The action’s result, once verified; else null.'),
    contentCompared: z
      .exactOptional(z.literal(false))
      .describe('There where a replay could not be compared, since the other content is erased.'),
  }),
)

export const checkResult = component(
  'CheckResult',
  'Whether the proposal would still stand. `drifted` is null when the business state could not be resolved.',
  z.strictObject({ outcome: z.literal('checked'), drifted: z.boolean().nullable(), paths: z.array(z.string()) }),
)

export const observationResult = component(
  'ObservationResult',
  'What became of an announcement; nothing is said of the proposal behind it.',
  z.strictObject({ outcome: z.enum(['observed', 'replayed']) }),
)

export const erasureResult = component(
  'ErasureResult',
  'What became of an erasure. Copies that were made before hold what they held.',
  z.strictObject({
    outcome: z.enum(['erased', 'erasure_deferred']),
    reason: z.enum(['effect_unsettled', 'held', 'unavailable', 'files_in_use']).nullable(),
    proposal: reference,
    backups: z.literal('not_covered'),
  }),
)
