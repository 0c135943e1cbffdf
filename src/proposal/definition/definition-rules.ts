// The rules of registration, in words: why an action cannot be safe as it is written.

/** The sentence of each rule; the path of the problem is its subject. */
export const definitionRules = {
  not_an_action: 'must be an action: an object with a contract and the methods of Action',
  not_an_object: 'must be an object',
  not_a_list: 'must be a list',
  unknown_field: 'is no field of a contract',
  method_missing: 'must be a method of the action',
  type_invalid: 'must be "namespace/name@version", in lower case, the namespace of two or more parts with dots between',
  duration_missing: 'must be given: nothing may stay open for ever',
  duration_invalid: 'must be a positive whole number and a unit, such as "30s", "10m", "24h" or "7d"',
  duration_too_long: 'is longer than is allowed here',
  integer_invalid: 'must be a whole number within its range',
  list_empty: 'must name at least one',
  duplicate: 'is named twice',
  path_invalid: 'must be a JSON Pointer to a field, such as "/amount"',
  path_missing: 'is no field of the snapshot; what is inside a list has no path of its own',
  path_not_always: 'is not in every snapshot, so that it could never be verified where it is missing; make it nullable',
  immaterial_invalid: 'must be a JSON Pointer, or { path, as: "set" }',
  nothing_material: 'leaves nothing of the snapshot that an approval would depend on',
  set_not_a_list: 'is no list, so it cannot be compared as a set',
  act_unknown: 'is no act',
  roles_invalid: 'must be a role or a list of roles: names that are not empty, at most 255 characters, trimmed',
  target_invalid: 'must be the name of the target: 1 to 64 of a-z, 0-9, "_", "." and "-"',
  idempotent_invalid: 'must be false, or { keyLifetime } if the target runs one key at most once',
  proof_unknown: 'is no kind of proof',
  resend_not_failure: 'is not among the kinds that count as failure',
  resend_not_idempotent: 'allows a resend to a target that is not idempotent',
  resend_key_consumed: 'can never allow a resend: under a consumed key the target answers what it has stored',
  fence_missing: 'needs the method fence(), which gets the acknowledgement of the target',
  cancel_missing: 'needs the method cancel(), which gets the acknowledgement of the target',
  key_lifetime_too_short:
    'must cover executeTimeout and inFlight, or a resend could run after the target forgot the key',
  domain_invalid: 'must be the name of a domain: at most 255 of a-z, 0-9, "_", ".", "/" and "-"',
  domain_of_calls: 'begins with "call:", where only guarded calls live',
  domain_is_current: 'is the present domain',
  execution_unknown: 'must be "on_request" or "when_approved"',
  policy_not_plain: 'must be plain data',
} as const

/** A rule that a contract breaks; schemas and policies have their own. */
export type DefinitionRule = keyof typeof definitionRules
