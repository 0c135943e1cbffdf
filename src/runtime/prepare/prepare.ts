// Prepare: from a command to a stored, sealed and committed proposal, in one change.
import type { JsonValue } from '../../effect/canonical-json.ts'
import { evidenceOf } from '../../effect/effect-evidence.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import { isReference, type Reference } from '../../effect/reference.ts'
import { parseAnswer, parseContent } from '../../proposal/content/boundary.ts'
import { commandFingerprint, deriveTenantKey, requestKeyHash } from '../../proposal/content/fingerprint.ts'
import {
  ActionNotRegistered,
  EffectAlreadyCompleted,
  EffectReferenceIdentifying,
  InvalidCommand,
  InvalidPreparation,
  LimitExceeded,
  MalformedReference,
  PreparationFailed,
  PreparationRefused,
  type Problem,
  RequestKeyReused,
} from '../../proposal/errors.ts'
import { deriveEffectReference, isIdentifying, NoReferencePart } from '../../proposal/content/effect-reference.ts'
import { withoutUndefined } from '../../proposal/answers/host-answer.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import { stay } from '../../proposal/lifecycle/verdict.ts'
import { principalName } from '../../proposal/principal.ts'
import type { CallerSession } from '../../proposal/session.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import { isInDoubt } from '../../proposal/status.ts'
import { demand } from '../authority.ts'
import { demandKind } from '../effect-kind.ts'
import type { Core } from '../core.ts'
import { draftProposal } from './draft.ts'
import { callHost } from '../host-call.ts'
import { hostTrouble, troubleUnlessReturned } from '../host-trouble.ts'
import { isReadable, load, loadIfReadable } from '../load.ts'
import { changeOf, commit, type Recorded } from '../record.ts'
import type { Registered } from '../registry.ts'
import { remainsOf } from '../erase/remains.ts'
import { erasedResultOf, type OperationResult, resultOf, uncompared } from '../result.ts'
import { LOST_RACE, untilStored } from '../rounds.ts'
import { demandWithdrawal } from '../withdraw.ts'

/** What a caller asks for. Identities come from the session and nowhere else. Spec: lifecycle 4. */
export interface PrepareInput {
  /** `namespace/name@version`. */
  readonly action: string
  readonly command: unknown
  /** Makes a repetition of the same request answer the first proposal; 1 to 255 visible characters. */
  readonly requestKey?: string
  /** The proposal that this one amends. It is closed if it is still open; nothing of its authority is passed on. */
  readonly replaces?: string
}

/** Prepares a proposal. The input is read once, before anything is awaited (threat T3). Spec: lifecycle 4. */
export async function prepare(core: Core, session: CallerSession, input: PrepareInput): Promise<OperationResult> {
  const { action, requestKey, replaces } = input
  const registered = core.registry.exact(action)
  if (registered === null) throw new ActionNotRegistered()
  const { definition } = registered
  const command = parseContent(definition.schemas.command, input.command, 'commandBytes')
  const value = command.ok ? (command.value as JsonValue) : null
  await demand(core, definition, 'prepare', session, value === null ? {} : { command: value })
  if (!command.ok)
    throw command.limit === null ? new InvalidCommand(command.problems) : new LimitExceeded(command.limit)

  const tenantKey = deriveTenantKey(core.referenceKey, session.tenant)
  const fingerprint = commandFingerprint(tenantKey, definition.name, command.text)
  const keyHash = requestHash(tenantKey, session, requestKey)
  const earlier = await replayed(core, session, keyHash, fingerprint)
  if (earlier !== null) return earlier

  const replaced = replaces === undefined ? null : await load(core, session, replaces)
  const ref = core.ids.reference()
  const prepared = await askHost(core, session, registered, ref, command.value as JsonValue)
  const effect: EffectKey = { tenant: session.tenant, domain: definition.domain, reference: prepared.effectReference }
  for (const domain of [definition.domain, ...definition.formerDomains]) {
    await demandKind(core, { ...effect, domain })
    const completed = await completedBefore(core, session, { ...effect, domain }, fingerprint)
    if (completed !== null) return completed
  }

  const { principal, owner } = session
  const byAgent = principal.kind === 'agent'
  const draft = await draftProposal(core, registered, {
    ref,
    effect,
    subject: prepared.subject,
    requester: principal,
    agent: byAgent ? principal : null,
    agentOwner: byAgent ? owner : null,
    replaces: replaced?.stored.proposal.ref ?? null,
    commandFingerprint: fingerprint,
    snapshot: prepared.snapshot,
    requestKeyHash: keyHash,
  })
  return untilStored(async () => {
    const moves = await replacedMoves(core, session, replaces, effect)
    const answer = await commit(core, changeOf(core, session.tenant, moves, draft.parts))
    if (answer.kind === 'committed') return resultOf(core, session, draft.stored, stay('prepared'))
    // Somebody else used the request key while this was being prepared; theirs is the first proposal.
    return (await replayed(core, session, keyHash, fingerprint)) ?? LOST_RACE
  })
}

function requestHash(tenantKey: Uint8Array, session: CallerSession, key: unknown): string | null {
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key)) throw new MalformedReference('/requestKey')
  return requestKeyHash(tenantKey, principalName(session.principal), key)
}

// Same requester, key and command: the first proposal, as it is now. Spec: lifecycle 4.2.
async function replayed(
  core: Core,
  session: CallerSession,
  keyHash: string | null,
  fingerprint: string,
): Promise<OperationResult | null> {
  if (keyHash === null) return null
  const ref = await core.store.byRequestKey(session.tenant, keyHash)
  if (ref === null) return null
  const first = await core.store.proposal(session.tenant, ref)
  const remains = first === null ? null : await remainsOf(core, first)
  // Whoever used the key is told what is left, before anything is compared: nothing could be (rules R16, trace S16).
  if (remains !== null) return uncompared(await erasedResultOf(core, session, remains, stay('replayed')))
  const { stored } = await load(core, session, ref)
  if (stored.proposal.commandFingerprint !== fingerprint) throw new RequestKeyReused()
  return resultOf(core, session, stored, stay('replayed'))
}

// A proposal that is amended while it is still open is closed in the same change, so that only one of the two can run.
// Whoever may not withdraw it may not amend it either.
async function replacedMoves(
  core: Core,
  session: CallerSession,
  ref: string | undefined,
  effect: EffectKey,
): Promise<readonly Recorded[]> {
  if (ref === undefined) return []
  const loaded = await load(core, session, ref)
  refuseInDoubt(loaded.stored.proposal, effect)
  const move = lifecycle.replace(loaded.stored.proposal, core.clock.now())
  if (move.kind !== 'move') return []
  // What time has closed is only written down.
  if (move.proposal.status === 'withdrawn') await demandWithdrawal(core, session, loaded)
  const caller = principalName(session.principal)
  return [{ stored: loaded.stored, move, actor: { participant: caller, trigger: caller } }]
}

// What may have been done already is amended by the same effect or not at all: another one could be done beside it.
function refuseInDoubt({ status, effect: replaced }: Proposal, effect: EffectKey): void {
  if (!isInDoubt(status) && status !== 'verification_unresolved') return
  if (replaced.domain === effect.domain && replaced.reference === effect.reference) return
  const message = 'is in doubt and names another effect'
  throw new InvalidPreparation([{ path: '/replaces', rule: 'replaced_in_doubt', message }])
}

interface PreparedContent {
  readonly snapshot: JsonValue
  readonly effectReference: Reference
  readonly subject: Reference | null
}

async function askHost(
  core: Core,
  session: CallerSession,
  { definition, prepared: schema }: Registered,
  ref: Reference,
  command: JsonValue,
): Promise<PreparedContent> {
  const { action, hostTimeoutMs } = definition
  const derived = new Set<string>()
  const derive = (...parts: readonly string[]): string => {
    const reference = deriveEffectReference(core.referenceKey, session.tenant, parts)
    derived.add(reference)
    return reference
  }
  const { principal, tenant } = session
  const agent = principal.kind === 'agent' ? principal : null
  const context = { tenant, proposal: ref, requester: principal, agent }
  const call = await callHost(core.clock, hostTimeoutMs, (signal) => {
    // The command was read through this definition's own schema.
    return action.prepare({
      command: command as Parameters<typeof action.prepare>[0]['command'],
      context,
      effect: { derive },
      signal,
    })
  })
  if (call.kind === 'threw' && call.error instanceof PreparationRefused) throw call.error
  const asked = { method: 'prepare', proposal: ref }
  troubleUnlessReturned(core, asked, call)
  if (call.kind === 'threw' && call.error instanceof NoReferencePart) throw new InvalidPreparation([UNDERIVABLE])
  if (call.kind === 'threw') throw new PreparationFailed({ cause: call.error })
  if (call.kind === 'timed_out') throw new PreparationFailed()

  const content = parseAnswer(schema, withoutUndefined(call.value), 'snapshotBytes', { snapshot: 'snapshotBytes' })
  if (!content.ok) {
    const error = content.limit === null ? new InvalidPreparation(content.problems) : new LimitExceeded(content.limit)
    hostTrouble(core, asked, { kind: 'malformed', error })
    throw error
  }
  const { snapshot, effectReference, subject } = content.value as {
    readonly snapshot: JsonValue
    readonly effectReference: string
    readonly subject?: string
  }
  if (!isReference(effectReference)) throw new InvalidPreparation([notAReference('/effectReference')])
  if (subject !== undefined && !isReference(subject)) throw new InvalidPreparation([notAReference('/subject')])
  if (subject !== undefined && isIdentifying(subject, [])) throw new InvalidPreparation([IDENTIFYING_SUBJECT])
  if (!derived.has(effectReference) && isIdentifying(effectReference, [command, snapshot])) {
    throw new EffectReferenceIdentifying()
  }
  return { snapshot, effectReference, subject: subject ?? null }
}

// A subject stands in the clear beside the sealed content, so it is an opaque label (trace S46).
const IDENTIFYING_SUBJECT: Problem = {
  path: '/subject',
  rule: 'identifying',
  message: 'names an e-mail address, an IBAN or a card number',
}

// Not for want of anything: the same command is refused in the same way again.
const UNDERIVABLE: Problem = {
  path: '/effectReference',
  rule: 'not_normal_form',
  message: 'is derived from a text that is not in Unicode normal form C',
}

function notAReference(path: string): Problem {
  return { path, rule: 'malformed_reference', message: 'is not a reference' }
}

// An effect that is CONFIRMED already is not proposed again; nothing is stored. Spec: lifecycle 4.4.
async function completedBefore(
  core: Core,
  session: CallerSession,
  key: EffectKey,
  fingerprint: string,
): Promise<OperationResult | null> {
  const effect = await core.store.effect(key)
  if (effect === null || effect.owner === null || evidenceOf(effect).status !== 'CONFIRMED') return null
  const completed = await core.store.proposal(session.tenant, effect.owner)
  if (completed?.kind === 'erased') {
    if (!(await isReadable(core, session, effect.owner))) throw new EffectAlreadyCompleted()
    const said = stay('replayed', 'effect_completed_elsewhere')
    return uncompared(await erasedResultOf(core, session, completed.tombstone, said))
  }
  const owner = await loadIfReadable(core, session, effect.owner)
  if (owner === null) throw new EffectAlreadyCompleted()
  const same = owner.proposal.commandFingerprint === fingerprint
  const said = same ? stay('replayed', 'effect_completed_elsewhere') : stay('conflict', 'effect_content_differs')
  return resultOf(core, session, owner, said)
}
