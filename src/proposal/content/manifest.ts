// The manifest: everything that an approval stands for, as one canonical text.
import { canonicalJson, type JsonValue } from '../../effect/canonical-json.ts'
import { limits } from '../../effect/limits.ts'
import type { Principal } from '../principal.ts'
import type { ProposalCore } from '../proposal.ts'

/** What is committed to. Changing any of it changes the commitment (invariant I31). Spec: policy-and-protection 3. */
export type Manifest = {
  readonly format: 1
  readonly tenant: string
  readonly proposal: string
  readonly action: string
  readonly definitionDigest: string
  readonly effectDomain: string
  readonly effectReference: string
  readonly requester: ManifestPrincipal
  readonly agent: ManifestPrincipal | null
  readonly agentOwner: ManifestPrincipal | null
  readonly replaces: string | null
  readonly commandFingerprint: string | null
  readonly snapshot: JsonValue
  readonly preview: JsonValue
  readonly policy: JsonValue
  readonly createdAt: number
  readonly expiresAt: number
}

/** A principal as plain data. */
export type ManifestPrincipal = { readonly kind: string; readonly id: string }

/** The part of a proposal that is committed to; the rest changes, or is the commitment itself. */
export type Committed = Pick<
  ProposalCore,
  | 'tenant'
  | 'ref'
  | 'action'
  | 'definitionDigest'
  | 'effect'
  | 'requester'
  | 'agent'
  | 'agentOwner'
  | 'replaces'
  | 'policy'
  | 'commandFingerprint'
  | 'createdAt'
  | 'expiresAt'
>

// Twice what a policy may have as it is written: frozen, it says more.
const fieldOptions = { numbers: 'integers', bytesLimit: 'snapshotBytes', bytesMax: 2 * limits.snapshotBytes } as const

/** The manifest of a proposal with its opened content. */
export function manifestOf(proposal: Committed, snapshot: JsonValue, preview: JsonValue): Manifest {
  return {
    format: 1,
    tenant: proposal.tenant,
    proposal: proposal.ref,
    action: proposal.action,
    definitionDigest: proposal.definitionDigest,
    effectDomain: proposal.effect.domain,
    effectReference: proposal.effect.reference,
    requester: principal(proposal.requester),
    agent: proposal.agent && principal(proposal.agent),
    agentOwner: proposal.agentOwner && principal(proposal.agentOwner),
    replaces: proposal.replaces,
    commandFingerprint: proposal.commandFingerprint,
    snapshot,
    preview,
    policy: proposal.policy,
    createdAt: proposal.createdAt,
    expiresAt: proposal.expiresAt,
  }
}

/**
 * The canonical text of a manifest. Equal texts are equal manifests. Each field is written by itself, so that the limits
 * on depth and number hold for snapshot and preview as they held at the boundary, and not for both together.
 */
export function manifestText(manifest: Manifest): string {
  const fields = Object.entries(manifest).map(
    ([name, value]) => `${JSON.stringify(name)}:${canonicalJson(value, fieldOptions)}`,
  )
  return `{${fields.sort().join(',')}}`
}

function principal({ kind, id }: Principal): ManifestPrincipal {
  return { kind, id }
}
