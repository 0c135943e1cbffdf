// What a problem says beyond its code: the members that one refusal has and another has not.
import { parseJsonPointer, jsonPointer } from '../../effect/json-pointer.ts'
import type { AnyRefusal, Problem } from '../../proposal/errors.ts'
import type { AnyHttpRefusal } from './http-refusals.ts'
import type { ProblemBody } from './problem.ts'

/** One thing that is wrong with an input: where (a JSON Pointer), which rule, and a sentence. Never the value. */
export interface FieldError {
  readonly pointer: string
  readonly code: string
  readonly message: string
}

type Members = Pick<
  ProblemBody,
  'proposalStatus' | 'reason' | 'errors' | 'revision' | 'limit' | 'act' | 'requirements' | 'observed'
>

const FIELD_ERRORS_MAX = 100
/** What a schema calls a field, or the index of a list. Other names were made up by the caller and may say anything. */
const FIELD_NAME = /^[\w.-]{1,64}$/

/** The members of a refusal. Addresses of rows are for the log. */
export function problemMembers(refusal: AnyRefusal | AnyHttpRefusal): Members {
  switch (refusal.code) {
    case 'malformed_request':
      return refusal.problems.length === 0 ? {} : { errors: fieldErrors(refusal.problems) }
    case 'invalid_request':
    case 'invalid_command':
    case 'invalid_preparation':
      return { errors: fieldErrors(refusal.problems) }
    case 'malformed_reference': {
      const { path, code, message } = refusal
      return { errors: fieldErrors([{ path, rule: code, message }]) }
    }
    case 'binding_mismatch':
      return { proposalStatus: refusal.status }
    case 'preparation_refused':
      return { reason: refusal.reason }
    case 'content_unavailable':
      return { reason: refusal.answer }
    case 'revision_mismatch':
      return { revision: refusal.revision }
    case 'limit_exceeded':
      return { limit: refusal.limit }
    case 'not_permitted':
      return refusal.act === null ? {} : { act: refusal.act }
    case 'policy_unsatisfiable':
      return { requirements: refusal.requirements }
    case 'persistence_outcome_unknown':
      return refusal.observed === null ? {} : { observed: refusal.observed }
    case 'not_found':
    case 'agent_cannot_decide':
    case 'separation_of_duties':
    case 'decision_not_permitted':
    case 'request_key_reused':
    case 'preparation_failed':
    case 'effect_reference_identifying':
    case 'effect_already_completed':
    case 'effect_kind_conflict':
    case 'action_not_registered':
    case 'erasure_held':
    case 'authorization_unavailable':
    case 'store_unavailable':
    case 'stored_data_corrupt':
    case 'unauthenticated':
    case 'authentication_unavailable':
    case 'cross_site_request':
    case 'unknown_path':
    case 'method_not_allowed':
    case 'payload_too_large':
    case 'unsupported_media_type':
    case 'commitment_required':
      return {}
  }
}

function fieldErrors(problems: readonly Problem[]): readonly FieldError[] {
  return problems
    .slice(0, FIELD_ERRORS_MAX)
    .map(({ path, rule, message }) => ({ pointer: shownPointer(path), code: rule, message }))
}

/** The pointer as far as its names are plain: it ends at the object that holds another one. */
function shownPointer(pointer: string): string {
  const segments = parseJsonPointer(pointer) ?? []
  const end = segments.findIndex((segment) => !FIELD_NAME.test(segment))
  return jsonPointer(end === -1 ? segments : segments.slice(0, end))
}
