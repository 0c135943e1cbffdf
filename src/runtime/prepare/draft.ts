// Drafting: a new proposal with its preview, policy, manifest and seals, ready to be inserted; for prepare and for replacements.
import { randomBytes } from 'node:crypto'
import { canonicalJson, type JsonValue } from '../../effect/canonical-json.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import { valueAt } from '../../effect/json-pointer.ts'
import type { Reference } from '../../effect/reference.ts'
import { parseContent } from '../../proposal/content/boundary.ts'
import { canonicalText } from '../../proposal/content/canonical-text.ts'
import { checkPolicy } from '../../proposal/policy/check-policy.ts'
import { commitment } from '../../proposal/content/commitment.ts'
import type { Definition } from '../../proposal/definition/definition.ts'
import { InvalidPreparation, LimitExceeded, PolicyUnsatisfiable } from '../../proposal/errors.ts'
import { eventsOf } from '../../proposal/event.ts'
import { type FrozenPolicy, freezePolicy, unsatisfiable } from '../../proposal/policy/freeze-policy.ts'
import { manifestOf, manifestText } from '../../proposal/content/manifest.ts'
import { type Principal, principalName, principalOf } from '../../proposal/principal.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import { chainReceipt } from '../../proposal/receipts/receipt-chain.ts'
import { withoutUndefined } from '../../proposal/answers/host-answer.ts'
import { isNoApproval, type PolicyInput } from '../../proposal/policy/policy.ts'
import { pathKind } from '../../proposal/definition/schema-pointer.ts'
import type { Core } from '../core.ts'
import { hostTrouble, type Trouble } from '../host-trouble.ts'
import type { LiveProposal } from '../ports.ts'
import { type ChangeParts, receiptBody } from '../record.ts'
import type { Registered } from '../registry.ts'
import { relatedProposals } from './related.ts'
import type { ProposalKey } from '../keys/sealing.ts'

/** How many predecessors of a replacement are looked at for excluded requesters; a longer chain is refused. */
const CHAIN_MAX = 50
const SALT_BYTES = 32

/** What is to be proposed, after the host has prepared it. */
export interface Intention {
  readonly ref: Reference
  readonly effect: EffectKey
  readonly subject: Reference | null
  readonly requester: Principal
  readonly agent: Principal | null
  readonly agentOwner: Principal | null
  readonly replaces: Reference | null
  readonly commandFingerprint: string | null
  /** Read through the definition's schema. */
  readonly snapshot: JsonValue
  readonly requestKeyHash: string | null
}

/** A proposal as it will be stored, and the rows that store it. */
export interface Draft {
  readonly stored: LiveProposal
  readonly parts: ChangeParts
}

/** Spec: lifecycle 4.3 to 4.6. */
export async function draftProposal(core: Core, registered: Registered, intention: Intention): Promise<Draft> {
  const { definition } = registered
  demandFactsFit(definition, intention.snapshot)
  const preview = previewOf(definition, intention.snapshot, (trouble) => {
    hostTrouble(core, { method: 'preview', proposal: intention.ref }, trouble)
  })
  const policy = await choosePolicy(core, definition, intention)
  const owner = { tenant: intention.effect.tenant, proposal: intention.ref }
  const { key, wrapped } = await core.keys.create(owner)
  const proposal = newProposal(core, definition, intention, { policy, preview, key })
  const content = {
    snapshot: key.seal('snapshot', canonicalJson(intention.snapshot, { numbers: 'integers' })),
    preview: key.seal('preview', canonicalJson(preview, { numbers: 'integers' })),
  }
  const receiptSalt = new Uint8Array(randomBytes(SALT_BYTES))
  const requester = principalName(intention.requester)
  const receipt = chainReceipt(receiptSalt, null, {
    tenant: proposal.tenant,
    proposal: proposal.ref,
    body: receiptBody(proposal, { type: 'proposal.prepared' }, { participant: requester, trigger: requester }, null),
  })
  const { requestKeyHash } = intention
  return {
    stored: {
      kind: 'live',
      proposal,
      approvals: [],
      comments: new Map(),
      content,
      result: null,
      key: wrapped,
      receiptSalt,
      lastHash: receipt.hash,
    },
    parts: {
      inserts: [{ kind: 'insert', proposal, content, key: wrapped, receiptSalt, requestKeyHash }],
      receipts: [receipt],
      events: eventsOf(null, proposal),
    },
  }
}

// Facts that are too large for a verifier's answer could never be found equal, and nobody would learn so before the call.
function demandFactsFit({ facts }: Definition, snapshot: JsonValue): void {
  const approved = Object.fromEntries(facts.map((path) => [path, valueAt(snapshot, path) ?? null]))
  if (typeof canonicalText(approved, 'factsBytes') !== 'string') throw new LimitExceeded('factsBytes')
}

/**
 * What the action shows for a snapshot: a pure function of it, computed here and again at execution (rules R10).
 * `tell` hears what the host did wrong.
 * @throws InvalidPreparation, LimitExceeded
 */
export function previewOf(
  definition: Definition,
  snapshot: JsonValue,
  tell: (trouble: Trouble) => void = () => {},
): JsonValue {
  const { action, schemas } = definition
  let shown: unknown
  try {
    shown = action.preview(snapshot as Parameters<typeof action.preview>[0])
  } catch (error) {
    tell({ kind: 'threw', error })
    // What the host's code threw stays with it: it may name what is private.
    throw new InvalidPreparation([{ path: '/preview', rule: 'threw', message: 'preview threw' }])
  }
  const parsed = parseContent(schemas.preview, shown, 'previewBytes')
  if (parsed.ok) return parsed.value as JsonValue
  const problems = parsed.problems.map((problem) => ({ ...problem, path: `/preview${problem.path}` }))
  const error = parsed.limit === null ? new InvalidPreparation(problems) : new LimitExceeded(parsed.limit)
  tell({ kind: 'malformed', error })
  throw error
}

async function choosePolicy(core: Core, definition: Definition, intention: Intention): Promise<FrozenPolicy> {
  const { snapshot, requester, agent, agentOwner } = intention
  const { policy, schemas, lifetimeMs } = definition
  let input = policy
  if (typeof input === 'function') {
    const related = await relatedProposals(core, intention.effect, intention.subject, intention.ref)
    const tell = (error: unknown): void => {
      hostTrouble(core, { method: 'policy', proposal: intention.ref }, { kind: 'threw', error })
    }
    input = plainPolicy(chosen(input, snapshot, related, tell))
    const problems = checkPolicy(input, (pointer) => pathKind(schemas.snapshot, pointer))
    if (problems.length > 0) throw new InvalidPreparation(problems)
  }
  const chainRequesters = await requestersOf(core, intention)
  const frozen = freezePolicy({ input, snapshot, requester, agent, agentOwner, chainRequesters, lifetimeMs })
  const unmet = unsatisfiable(frozen)
  if (unmet.length > 0) throw new PolicyUnsatisfiable(unmet)
  return frozen
}

function chosen(
  choose: Extract<Definition['policy'], (...args: never[]) => unknown>,
  snapshot: JsonValue,
  related: readonly Proposal[],
  tell: (error: unknown) => void,
): ReturnType<typeof choose> {
  try {
    // The snapshot was read through this definition's own schema.
    const typed = snapshot as Parameters<typeof choose>[0]['snapshot']
    return choose({ snapshot: typed, related: related.map(({ ref, action, status }) => ({ ref, action, status })) })
  } catch (error) {
    tell(error)
    throw new InvalidPreparation([{ path: '/policy', rule: 'threw', message: 'the policy function threw' }])
  }
}

// What the host's function answers is copied once, as plain data, before anything looks at it.
function plainPolicy(answer: PolicyInput): PolicyInput {
  if (isNoApproval(answer)) return answer
  const text = canonicalText(withoutUndefined(answer), 'snapshotBytes')
  if (typeof text === 'string') return JSON.parse(text) as PolicyInput
  throw new InvalidPreparation([{ path: '/policy', rule: 'not_plain', message: 'the policy is not plain data' }])
}

// Whoever requested anything that this proposal amends must not approve it (lifecycle 5).
async function requestersOf(core: Core, { effect, replaces }: Intention): Promise<readonly Principal[]> {
  const requesters: Principal[] = []
  let ref = replaces
  for (let length = 0; ref !== null; length += 1) {
    if (length === CHAIN_MAX) {
      throw new InvalidPreparation([
        { path: '/replaces', rule: 'chain_too_long', message: 'replaces too long a chain' },
      ])
    }
    const earlier = await core.store.proposal(effect.tenant, ref)
    if (earlier?.kind !== 'live') break
    const { requester, agentOwner, policy } = earlier.proposal
    // Whom it excluded itself stays excluded, also where what it replaced has been erased since.
    const excluded = policy.excluded.map(({ principal }) => principalOf(principal))
    requesters.push(requester, ...(agentOwner === null ? [] : [agentOwner]), ...excluded)
    ref = earlier.proposal.replaces
  }
  return requesters
}

function newProposal(
  core: Core,
  definition: Definition,
  intention: Intention,
  { policy, preview, key }: { readonly policy: FrozenPolicy; readonly preview: JsonValue; readonly key: ProposalKey },
): Proposal {
  const { snapshot, requestKeyHash: _, ...identity } = intention
  const createdAt = core.clock.now()
  const uncommitted = {
    ...identity,
    tenant: intention.effect.tenant,
    action: definition.type,
    definitionDigest: definition.digest,
    policy,
    createdAt,
    expiresAt: createdAt + definition.lifetimeMs,
  }
  return {
    ...uncommitted,
    commitment: commitment(key.commitmentKey, manifestText(manifestOf(uncommitted, snapshot, preview))),
    revision: 0,
    updatedAt: createdAt,
    erasure: 'none',
    blockedBy: null,
    attention: [],
    status: policy.noApproval === null ? 'awaiting_approval' : 'approved',
  }
}
