// Refusals from problems: the runtime's own error classes, rebuilt from what the server said, one for every code.
import { z } from 'zod'
import { limits, type LimitName } from '../../effect/limits.ts'
import { ACTS } from '../../proposal/contract.ts'
import {
  ActionNotRegistered,
  AuthorizationUnavailable,
  BindingMismatch,
  ContentUnavailable,
  DecisionRefused,
  EffectAlreadyCompleted,
  EffectKindConflict,
  EffectReferenceIdentifying,
  ErasureHeld,
  InvalidCommand,
  InvalidPreparation,
  LimitExceeded,
  MalformedReference,
  NotFound,
  NotPermitted,
  PersistenceOutcomeUnknown,
  PolicyUnsatisfiable,
  PreparationFailed,
  PreparationRefused,
  type Problem,
  type Refusal,
  RequestKeyReused,
  RevisionMismatch,
  StoredDataCorrupt,
  StoreUnavailable,
} from '../../proposal/errors.ts'
import { STATUSES } from '../../proposal/status.ts'
import {
  AuthenticationUnavailable,
  CommitmentRequired,
  CrossSiteRequest,
  HTTP_REFUSALS,
  type HttpRefusal,
  InvalidRequest,
  MalformedRequest,
  MethodNotAllowed,
  PayloadTooLarge,
  type ProblemCode,
  PROBLEMS,
  Unauthenticated,
  UnknownPath,
  UnsupportedMediaType,
} from '../wire/http-refusals.ts'
import { ServerFault } from './client-errors.ts'

/** What is read of a problem. Members that a code does not have are not looked at. */
const problemSchema = z.looseObject({
  code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
  detail: z.exactOptional(z.string()),
  proposalStatus: z.exactOptional(z.enum(STATUSES)),
  reason: z.exactOptional(z.string()),
  errors: z.exactOptional(z.array(z.looseObject({ pointer: z.string(), code: z.string(), message: z.string() }))),
  revision: z.exactOptional(z.int()),
  limit: z.exactOptional(z.enum(Object.keys(limits) as [LimitName, ...LimitName[]])),
  act: z.exactOptional(z.enum(ACTS)),
  requirements: z.exactOptional(z.array(z.string())),
  observed: z.exactOptional(z.looseObject({ attempt: z.int(), ending: z.string() })),
})

type ReadProblem = z.output<typeof problemSchema>
type Rebuild = (problem: ReadProblem, headers: Headers) => Refusal | HttpRefusal | null

/** Null where the problem lacks what the error is made of. Complete by its type: a new code does not compile without. */
const REBUILD: Readonly<Record<ProblemCode, Rebuild>> = {
  not_found: () => new NotFound(),
  agent_cannot_decide: () => new DecisionRefused('agent_cannot_decide'),
  separation_of_duties: () => new DecisionRefused('separation_of_duties'),
  decision_not_permitted: () => new DecisionRefused('decision_not_permitted'),
  not_permitted: ({ act = null }) => new NotPermitted(act),
  binding_mismatch: ({ proposalStatus }) => (proposalStatus === undefined ? null : new BindingMismatch(proposalStatus)),
  request_key_reused: () => new RequestKeyReused(),
  malformed_reference: (problem) => new MalformedReference(problemsOf(problem)[0]?.path ?? ''),
  invalid_command: (problem) => new InvalidCommand(problemsOf(problem)),
  invalid_preparation: (problem) => new InvalidPreparation(problemsOf(problem)),
  preparation_refused: ({ reason = '' }) => (isReasonCode(reason) ? new PreparationRefused(reason) : null),
  preparation_failed: () => new PreparationFailed(),
  policy_unsatisfiable: ({ requirements = [] }) => new PolicyUnsatisfiable(requirements),
  effect_reference_identifying: () => new EffectReferenceIdentifying(),
  effect_already_completed: () => new EffectAlreadyCompleted(),
  effect_kind_conflict: () => new EffectKindConflict(),
  action_not_registered: () => new ActionNotRegistered(),
  limit_exceeded: ({ limit }) => (limit === undefined ? null : new LimitExceeded(limit)),
  erasure_held: () => new ErasureHeld(),
  revision_mismatch: ({ revision }) => (revision === undefined ? null : new RevisionMismatch(revision)),
  content_unavailable: ({ reason }) => {
    const answer = CONTENT_ANSWERS.find((one) => one === reason)
    return answer === undefined ? null : new ContentUnavailable(answer)
  },
  authorization_unavailable: () => new AuthorizationUnavailable(),
  store_unavailable: () => new StoreUnavailable(),
  persistence_outcome_unknown: ({ observed }) => {
    return new PersistenceOutcomeUnknown(
      observed === undefined ? null : { attempt: observed.attempt, ending: observed.ending },
    )
  },
  // Which row it is stands in the server's log.
  stored_data_corrupt: () => new StoredDataCorrupt('of the server'),
  malformed_request: (problem) => {
    return new MalformedRequest(problem.detail ?? HTTP_REFUSALS.malformed_request.title, problemsOf(problem))
  },
  unauthenticated: () => new Unauthenticated('refused'),
  authentication_unavailable: () => new AuthenticationUnavailable(),
  cross_site_request: () => new CrossSiteRequest(),
  unknown_path: () => new UnknownPath(),
  method_not_allowed: (_, headers) => new MethodNotAllowed((headers.get('Allow') ?? '').split(/, */).filter(Boolean)),
  payload_too_large: () => new PayloadTooLarge(),
  unsupported_media_type: ({ detail }) => {
    return new UnsupportedMediaType(detail ?? HTTP_REFUSALS.unsupported_media_type.title)
  },
  invalid_request: (problem) => new InvalidRequest(problemsOf(problem)),
  commitment_required: () => new CommitmentRequired(),
  internal: () => new ServerFault(),
}

const CONTENT_ANSWERS = ['missing', 'denied', 'unavailable', 'damaged'] as const

/** The refusal that a problem is about; null for a body that is no problem of this API. */
export function refusalOfProblem(body: unknown, headers: Headers): Refusal | HttpRefusal | null {
  const parsed = problemSchema.safeParse(body)
  return parsed.success ? REBUILD[parsed.data.code](parsed.data, headers) : null
}

function problemsOf({ errors = [] }: ReadProblem): readonly Problem[] {
  return errors.map(({ pointer, code, message }) => ({ path: pointer, rule: code, message }))
}

function isReasonCode(text: string): boolean {
  return /^[a-z0-9_.-]{1,64}$/.test(text)
}
