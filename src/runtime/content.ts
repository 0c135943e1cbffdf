// Content: opening what is sealed of a proposal, and proving that it is what was committed to.
import { type JsonValue, parseCanonicalJson } from '../effect/canonical-json.ts'
import { commitment, sameCommitment } from '../proposal/content/commitment.ts'
import { ContentUnavailable } from '../proposal/errors.ts'
import { manifestOf, manifestText } from '../proposal/content/manifest.ts'
import { type Core, openKey } from './core.ts'
import type { LiveProposal } from './ports.ts'
import type { ProposalKey } from './keys/sealing.ts'

/** The content of a proposal, freshly parsed from the committed bytes and deeply frozen. */
export interface Content {
  /** The committed bytes, to be parsed afresh for whoever must not share a copy. */
  readonly snapshotText: string
  readonly snapshot: JsonValue
  readonly preview: JsonValue
  readonly key: ProposalKey
  /** Whether snapshot, preview and everything else of the manifest is what the commitment was made over. */
  readonly committed: boolean
}

/**
 * Opens the content and checks the commitment.
 * @throws ContentUnavailable
 */
export async function openContent(core: Core, stored: LiveProposal): Promise<Content> {
  const key = await openKey(core, stored)
  const snapshotText = key.open('snapshot', stored.content.snapshot)
  const snapshot = parsed(snapshotText)
  const preview = parsed(key.open('preview', stored.content.preview))
  const manifest = manifestText(manifestOf(stored.proposal, snapshot, preview))
  const committed = sameCommitment(commitment(key.commitmentKey, manifest), stored.proposal.commitment)
  return { snapshotText, snapshot, preview, key, committed }
}

/** The sealed result of a verified proposal, or null where there is none. */
export async function openResult(core: Core, stored: LiveProposal): Promise<JsonValue> {
  if (stored.result === null) return null
  const key = await openKey(core, stored)
  return parsed(key.open('result', stored.result))
}

function parsed(text: string): JsonValue {
  try {
    return parseCanonicalJson(text)
  } catch (cause) {
    throw new ContentUnavailable('damaged', { cause })
  }
}
