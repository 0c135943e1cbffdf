// The sealed detail of an attempt: the executor's result, and the host's error text for diagnosis.
import { canonicalJson, parseCanonicalJson } from '../../effect/canonical-json.ts'
import type { Effect } from '../../effect/effect.ts'
import type { Reference } from '../../effect/reference.ts'
import type { ExecutorWord } from '../../proposal/answers/executor-word.ts'
import type { Core } from '../core.ts'
import type { Sealed } from '../ports.ts'
import type { ProposalKey } from '../keys/sealing.ts'

/** Seals what the executor gave and what its error said; null if there is neither. */
export function sealDetail(key: ProposalKey, attempt: number, { resultText, errorText }: ExecutorWord): Sealed | null {
  if (resultText === null && errorText === null) return null
  return key.seal(
    `attempt:${attempt}`,
    canonicalJson({ result: resultText, error: errorText }, { numbers: 'integers' }),
  )
}

/** The result that the executor gave for what the target names so, as canonical text; null where none fits. */
export async function attemptResult(
  core: Core,
  effect: Effect,
  proposal: Reference,
  externalReference: Reference | null,
  key: ProposalKey,
): Promise<string | null> {
  if (externalReference === null) return null
  const attempt = effect.attempts.find(
    (candidate) => candidate.proposal === proposal && candidate.ending?.externalReference === externalReference,
  )
  if (attempt === undefined) return null
  const sealed = await core.store.attemptDetail(effect.key, attempt.number)
  if (sealed === null) return null
  const detail = parseCanonicalJson(key.open(`attempt:${attempt.number}`, sealed)) as { readonly result: string | null }
  return detail.result
}
