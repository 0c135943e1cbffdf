// Every refusal, from the server's error to a problem and back: the same class with the same code, message and fields.
import { describe, expect, it } from 'vitest'
import * as door from '../../src/client.ts'
import { refusalOfProblem } from '../../src/http/client/refusal-of-problem.ts'
import { PROBLEMS, type ProblemCode } from '../../src/http/wire/http-refusals.ts'
import { problemOf } from '../../src/http/wire/problem.ts'
import { STATUSES } from '../../src/proposal/status.ts'

const problems = [{ path: '/command/amount', rule: 'invalid_type', message: 'is of another type' }]

/** One error of every code, with every field that it can have. */
const ERRORS: Readonly<Record<ProblemCode, readonly Error[]>> = {
  not_found: [new door.NotFound()],
  agent_cannot_decide: [new door.DecisionRefused('agent_cannot_decide')],
  separation_of_duties: [new door.DecisionRefused('separation_of_duties')],
  decision_not_permitted: [new door.DecisionRefused('decision_not_permitted')],
  not_permitted: [new door.NotPermitted(), new door.NotPermitted('execute')],
  binding_mismatch: STATUSES.map((status) => new door.BindingMismatch(status)),
  request_key_reused: [new door.RequestKeyReused()],
  malformed_reference: [new door.MalformedReference('/commitment')],
  invalid_command: [new door.InvalidCommand(problems)],
  invalid_preparation: [new door.InvalidPreparation(problems)],
  preparation_refused: [new door.PreparationRefused('order_closed')],
  preparation_failed: [new door.PreparationFailed()],
  policy_unsatisfiable: [new door.PolicyUnsatisfiable(['finance', 'director'])],
  effect_reference_identifying: [new door.EffectReferenceIdentifying()],
  effect_already_completed: [new door.EffectAlreadyCompleted()],
  effect_kind_conflict: [new door.EffectKindConflict()],
  action_not_registered: [new door.ActionNotRegistered()],
  limit_exceeded: [new door.LimitExceeded('commentCharacters')],
  erasure_held: [new door.ErasureHeld()],
  revision_mismatch: [new door.RevisionMismatch(0), new door.RevisionMismatch(7)],
  content_unavailable: (['missing', 'denied', 'unavailable', 'damaged'] as const).map((answer) => {
    return new door.ContentUnavailable(answer)
  }),
  authorization_unavailable: [new door.AuthorizationUnavailable()],
  store_unavailable: [new door.StoreUnavailable()],
  persistence_outcome_unknown: [
    new door.PersistenceOutcomeUnknown(null),
    new door.PersistenceOutcomeUnknown({ attempt: 2, ending: 'accepted' }),
  ],
  stored_data_corrupt: [new door.StoredDataCorrupt('of the server')],
  malformed_request: [new door.MalformedRequest('The body is no JSON.'), new door.MalformedRequest('Twice.', problems)],
  unauthenticated: [new door.Unauthenticated('refused')],
  authentication_unavailable: [new door.AuthenticationUnavailable()],
  cross_site_request: [new door.CrossSiteRequest()],
  unknown_path: [new door.UnknownPath()],
  method_not_allowed: [new door.MethodNotAllowed(['GET', 'HEAD'])],
  payload_too_large: [new door.PayloadTooLarge()],
  unsupported_media_type: [new door.UnsupportedMediaType('The body is not of the media type application/json.')],
  invalid_request: [new door.InvalidRequest(problems)],
  commitment_required: [new door.CommitmentRequired()],
  internal: [new door.ServerFault()],
}

const rows = Object.entries(ERRORS).flatMap(([code, errors]) => errors.map((error) => ({ code, error })))

describe('a refusal', () => {
  it.each(rows)('$code comes back as what it was', ({ code, error }) => {
    const { body, headers } = problemOf(error, 'request-1')

    const back = refusalOfProblem(JSON.parse(JSON.stringify(body)), new Headers(headers))

    expect(back?.constructor).toBe(error.constructor)
    expect(fieldsOf(back)).toEqual(fieldsOf(error))
    expect(back?.code).toBe(code)
  })

  it('is there for every code', () => {
    expect(Object.keys(ERRORS).toSorted()).toEqual(Object.keys(PROBLEMS).toSorted())
  })
})

function fieldsOf(error: Error | null): Readonly<Record<string, unknown>> {
  return { ...Object.fromEntries(Object.entries(error ?? {})), message: error?.message }
}
