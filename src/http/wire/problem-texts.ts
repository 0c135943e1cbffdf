// What each problem means and what to do about it, in one table: the pages of problems and the OpenAPI document read it.
import type { ProblemCode } from './http-refusals.ts'

/** Two or three sentences for whoever met the problem. Plain text. */
export interface ProblemText {
  /** What has happened, and what has not. */
  readonly meaning: string
  /** What helps. */
  readonly remedy: string
}

const AGAIN_AFTER_A_WHILE = 'Repeat the request after the time in Retry-After, with the same Idempotency-Key.'

/** Complete by its type: a new code does not compile without its text. */
export const PROBLEM_TEXTS: Readonly<Record<ProblemCode, ProblemText>> = {
  not_found: {
    meaning:
      'The reference is unknown, not of the form of one, of another tenant, or of something that the caller may not read. All four are answered alike, so that nobody can find out what exists.',
    remedy:
      'Check the reference, and with whose credentials it was asked for. If both are right, the right to read is missing.',
  },
  agent_cannot_decide: {
    meaning:
      'The caller is an agent. Agents propose and trigger; approving and rejecting is for people. No decision was stored.',
    remedy: 'Show the proposal to somebody who may decide.',
  },
  separation_of_duties: {
    meaning:
      'The policy excludes the caller from deciding on this proposal, most often because the caller asked for it. No decision was stored.',
    remedy: 'Let somebody else decide. The policy in the view of the proposal says who can.',
  },
  decision_not_permitted: {
    meaning: 'Nothing in the policy of this proposal lets the caller decide. No decision was stored.',
    remedy: 'Let somebody decide whom the policy names, or sign in with the role that it asks for.',
  },
  not_permitted: {
    meaning: 'The caller may see the proposal and has no right to do this. Nothing was changed.',
    remedy: 'Ask for the right, or leave this to somebody who has it. The member "act" names the right.',
  },
  binding_mismatch: {
    meaning:
      'The decision names another commitment than the one on record, so it is about something else than what would run; or the session lacks the assurance that the policy asks for. No decision was stored.',
    remedy: 'Read the proposal again, look at what it says now, and decide with the commitment that comes with it.',
  },
  request_key_reused: {
    meaning: 'The Idempotency-Key was used before, by the same caller, for another command. Nothing was prepared.',
    remedy: 'Use a new key for a new command. To find the first proposal, repeat the first command with the key.',
  },
  malformed_reference: {
    meaning: 'A reference, code or option in the request is not of its form. Nothing was changed.',
    remedy: 'Correct the value that "errors" points to.',
  },
  invalid_command: {
    meaning: 'The command does not fit the schema of the action. Nothing was prepared.',
    remedy: 'Correct what "errors" points to. The schema is in the answer of GET /v1/actions.',
  },
  invalid_preparation: {
    meaning:
      'The command is in order; what the action made of it is not what its own definition allows. Nothing was prepared.',
    remedy: 'This is a fault of the action. Tell whoever maintains it; the same command will be refused again.',
  },
  preparation_refused: {
    meaning: 'The action refuses this command for a reason of its own, which "reason" names. Nothing was prepared.',
    remedy: 'The documentation of the action says what the reason means.',
  },
  preparation_failed: {
    meaning:
      'The action could not prepare the proposal: a system that it asks failed or took too long. Nothing was prepared.',
    remedy: AGAIN_AFTER_A_WHILE,
  },
  policy_unsatisfiable: {
    meaning:
      'After the exclusions nobody is left who could meet these requirements, so the proposal could never run. Nothing was prepared.',
    remedy: 'Let somebody else propose it, or have the named approvers of the policy changed.',
  },
  effect_reference_identifying: {
    meaning:
      'The name of the effect contains private things. It outlives erasure, so it must say nothing. Nothing was prepared.',
    remedy: 'This is a fault of the action: its effect reference must be opaque.',
  },
  effect_already_completed: {
    meaning:
      'What the command asks for was done already, through another proposal, which the caller may not read. Nothing was prepared.',
    remedy: 'Do not ask again. If it is to be done a second time on purpose, the command must name another effect.',
  },
  effect_kind_conflict: {
    meaning:
      'A guarded call of the same name has claimed this effect, without any approval. Both would do the same thing. Nothing was called.',
    remedy:
      'Find out what the guarded call did. If the proposal is meant as something else, it must name another effect.',
  },
  action_not_registered: {
    meaning: 'This server knows no action of that type and version. Nothing was prepared.',
    remedy: 'GET /v1/actions lists those that it knows.',
  },
  limit_exceeded: {
    meaning:
      'Something in the request or in what the action made of it is larger than allowed; "limit" names the limit. Nothing was changed.',
    remedy: 'Make it smaller. The documentation lists every limit.',
  },
  erasure_held: {
    meaning: 'The action holds the content, because of a duty to keep it. Nothing was erased.',
    remedy: 'Erase it when the duty has ended.',
  },
  revision_mismatch: {
    meaning:
      'The proposal is at another revision than If-Match names: something happened since it was read. Nothing was changed.',
    remedy:
      'Read the proposal again, look at what changed, and repeat the request with the new ETag if it is still right.',
  },
  content_unavailable: {
    meaning: 'The content of the proposal cannot be opened, or is not what was committed to. Nothing was changed.',
    remedy:
      'If "reason" is "denied" or "unavailable", repeat the request later. Otherwise an operator must look at it.',
  },
  authorization_unavailable: {
    meaning: 'The system that knows the rights could not be asked. Nothing was changed.',
    remedy: AGAIN_AFTER_A_WHILE,
  },
  store_unavailable: {
    meaning: 'The store could not be reached or did not take the change. Nothing was stored.',
    remedy: AGAIN_AFTER_A_WHILE,
  },
  persistence_outcome_unknown: {
    meaning: 'The answer of the store was lost. What was asked for may have been stored, or not.',
    remedy:
      'Read the proposal before anything else. A repeated preparation with the same Idempotency-Key finds the first one.',
  },
  stored_data_corrupt: {
    meaning: 'A stored row cannot be read. Nothing was changed, and every other row stays usable.',
    remedy: 'Tell the operator of this server the id of the request; its log names the row.',
  },
  malformed_request: {
    meaning:
      'The request breaks the syntax of HTTP, of a header or of JSON; a header that may be sent once was perhaps sent twice. Nothing was done.',
    remedy: 'Correct the part that "detail" names. Repeating the same request will not help.',
  },
  unauthenticated: {
    meaning:
      'The request has no credentials, or has some that are not accepted. Which rule they break is not told. Nothing was done.',
    remedy:
      'Send a valid token as "Authorization: Bearer". A token that worked before may have expired: get a new one.',
  },
  cross_site_request: {
    meaning:
      'The request would change something and came with a cookie, and it does not prove that a page of this server sent it. Nothing was done.',
    remedy:
      'Open the page again at the address that the server was set up with, and send the form from there. A program sends "Authorization: Bearer" and no cookie.',
  },
  unknown_path: {
    meaning: 'There is nothing at this path, whoever asks.',
    remedy: 'The paths are listed in /openapi.json.',
  },
  method_not_allowed: {
    meaning: 'The path exists and does not take this method. Nothing was done.',
    remedy: 'Use one of the methods in the header Allow.',
  },
  payload_too_large: {
    meaning: 'The body is larger than allowed; the rest of it was not read. Nothing was done.',
    remedy: 'Send less. Large things belong into a system of their own, and a reference to them into the command.',
  },
  unsupported_media_type: {
    meaning: 'The body is not "application/json" in UTF-8, or it is compressed. Nothing was done.',
    remedy: 'Send "Content-Type: application/json" and no Content-Encoding.',
  },
  invalid_request: {
    meaning:
      'The body or the query is well formed and does not fit its schema; a field that is not known is refused too. Nothing was done.',
    remedy: 'Correct what "errors" points to. The schemas are in /openapi.json.',
  },
  commitment_required: {
    meaning: 'A decision came without a commitment, so it does not say what it is about. No decision was stored.',
    remedy: 'Read the proposal, show it, and send its commitment with the decision.',
  },
  internal: {
    meaning: 'The server met a fault of its own or of an action. Whether anything was changed is not known.',
    remedy: 'Read the proposal before anything else. Tell the operator of this server the id of the request.',
  },
  authentication_unavailable: {
    meaning: 'The keys that tell who is calling could not be read. The credentials were not judged. Nothing was done.',
    remedy: AGAIN_AFTER_A_WHILE,
  },
}
