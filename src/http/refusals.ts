// Which refusals which kind of endpoint can end in, for the documentation; a test holds every answer to it.
import type { ProblemCode } from './wire/http-refusals.ts'

/** Of everything that asks who is calling. */
export const EVERYWHERE: readonly ProblemCode[] = [
  'malformed_request',
  'unauthenticated',
  'authentication_unavailable',
  'invalid_request',
  'internal',
]

/** Of everything that asks the store. */
export const READING: readonly ProblemCode[] = ['store_unavailable', 'stored_data_corrupt']

/** Of everything that reads a body. */
export const WITH_BODY: readonly ProblemCode[] = [
  'cross_site_request',
  'payload_too_large',
  'unsupported_media_type',
  'limit_exceeded',
]

/** Of everything that names a proposal and asks for a right. */
export const ABOUT_PROPOSAL: readonly ProblemCode[] = [
  ...READING,
  'not_found',
  'authorization_unavailable',
  'revision_mismatch',
]

/** Of everything that stores. */
export const STORING: readonly ProblemCode[] = ['persistence_outcome_unknown']

/** Of every decision. */
export const DECIDING: readonly ProblemCode[] = [
  'agent_cannot_decide',
  'separation_of_duties',
  'decision_not_permitted',
  'binding_mismatch',
  'commitment_required',
  'content_unavailable',
]
