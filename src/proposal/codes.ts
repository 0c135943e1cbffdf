// The one table of codes: every outcome and refusal with its HTTP status; types, problems and documentation come from it.

/**
 * Outcomes are values: what became of the operation. `http` is the status when the outcome is what the operation wanted,
 * `otherwise` when it wanted something else (absent: the same). Spec: lifecycle 9.
 */
export const OUTCOMES = {
  prepared: { http: 201 },
  replayed: { http: 200, otherwise: 409 },
  approval_pending: { http: 200, otherwise: 409 },
  approved: { http: 200, otherwise: 409 },
  rejected: { http: 200, otherwise: 409 },
  withdrawn: { http: 200, otherwise: 409 },
  revoked: { http: 200 },
  expired: { http: 409 },
  blocked: { http: 409 },
  stale: { http: 409 },
  superseded: { http: 409 },
  conflict: { http: 409 },
  in_progress: { http: 202, otherwise: 409 },
  verification_pending: { http: 202, otherwise: 409 },
  failed_unknown: { http: 202, otherwise: 409 },
  resend_allowed: { http: 202 },
  verification_unresolved: { http: 202, otherwise: 409 },
  verified: { http: 200, otherwise: 409 },
  failed_known: { http: 200, otherwise: 409 },
  closed_unknown: { http: 200, otherwise: 409 },
  resumed: { http: 202 },
  settled: { http: 200 },
  checked: { http: 200 },
  observed: { http: 202 },
  erased: { http: 200 },
  erasure_deferred: { http: 202 },
} as const satisfies Record<string, { readonly http: number; readonly otherwise?: number }>

/** What became of an operation. */
export type OutcomeCode = keyof typeof OUTCOMES

/** Refusals are errors: nothing was changed, and the code says why. Spec: lifecycle 9. */
export const REFUSALS = {
  not_found: { http: 404, title: 'There is no such proposal, or it may not be read.' },
  agent_cannot_decide: { http: 403, title: 'An agent never decides.' },
  separation_of_duties: { http: 403, title: 'The policy excludes this person from deciding on this proposal.' },
  decision_not_permitted: { http: 403, title: 'The caller has no right to decide on this proposal.' },
  not_permitted: { http: 403, title: 'The caller has no right to do this.' },
  binding_mismatch: {
    http: 409,
    title: 'The decision names another commitment, or its session lacks the assurance asked for.',
  },
  request_key_reused: { http: 422, title: 'The request key was used for another command.' },
  malformed_reference: { http: 400, title: 'A reference or code is not of the allowed form.' },
  invalid_command: { http: 422, title: 'The command does not fit the action’s schema.' },
  invalid_preparation: { http: 422, title: 'The action prepared something that its own definition does not allow.' },
  preparation_refused: { http: 422, title: 'The action refuses to prepare this command.' },
  preparation_failed: { http: 503, title: 'The action could not prepare the proposal.' },
  policy_unsatisfiable: { http: 422, title: 'Nobody is left who could meet the policy.' },
  effect_reference_identifying: { http: 422, title: 'The effect reference names private things; it must be opaque.' },
  effect_already_completed: {
    http: 409,
    title: 'The effect was completed through another proposal, which the caller may not read.',
  },
  effect_kind_conflict: {
    http: 409,
    title: 'The effect belongs to a guarded call and not to proposals, or the other way round.',
  },
  action_not_registered: { http: 422, title: 'No such action is registered.' },
  limit_exceeded: { http: 422, title: 'A limit was exceeded.' },
  erasure_held: { http: 409, title: 'The content is held and cannot be erased now.' },
  revision_mismatch: { http: 412, title: 'The proposal has changed since it was read.' },
  content_unavailable: { http: 409, title: 'The content cannot be opened or is not what was committed to.' },
  authorization_unavailable: { http: 503, title: 'It could not be found out whether the caller has the right.' },
  store_unavailable: { http: 503, title: 'The store did not take the change; nothing was stored.' },
  persistence_outcome_unknown: { http: 503, title: 'The store’s answer was lost; the change may have been stored.' },
  stored_data_corrupt: { http: 500, title: 'A stored row cannot be read; every other one still can.' },
} as const satisfies Record<string, { readonly http: number; readonly title: string }>

/** Why an operation was refused. */
export type RefusalCode = keyof typeof REFUSALS

/** Why an outcome is what it is, where the outcome alone does not say it. */
export const REASONS = [
  'content_unavailable',
  'commitment_mismatch',
  'definition_changed',
  'preview_differs',
  'earlier_attempt',
  'attempts_spent',
  'resolve_failed',
  'not_permitted',
  'related_in_doubt',
  'authorization_unavailable',
  'approval_lapsed',
  'effect_in_flight_elsewhere',
  'effect_completed_elsewhere',
  'effect_content_differs',
  'key_lifetime_over',
  'clock_unsettled',
  'restore_unacknowledged',
  'restore_unsettled',
  'material_drift',
  'host_reports_drift',
  'subject_gone',
  'lost_race',
] as const

/** A reason that the runtime itself gives. */
export type Reason = (typeof REASONS)[number]
