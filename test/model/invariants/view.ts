// The view of the checks: whatever the last command touched, read from the store itself and shown to a reader.
import { NotFound, StoredDataCorrupt } from '../../../src/proposal/errors.ts'
import { nameOf } from '../effect-name.ts'
import type { Entry } from '../book.ts'
import { sortedText } from '../sorted-text.ts'
import type { Stored, View, Witness } from './invariant.ts'

/** More than any run has. */
const EVENTS_MAX = 10_000

/** What the fresh entries touched, or everything that there is. */
export async function viewOf(world: Witness, fresh: readonly Entry[], of: 'fresh' | 'everything'): Promise<View> {
  const { book, tenant, tampered, corrupt, ground } = world
  const touched = touchedBy(of === 'fresh' ? fresh : book.entries)
  const proposals: Stored[] = []
  for (const ref of touched.refs) {
    const held = book.proposals.get(ref)
    if (held === undefined) continue
    const read = await ground.store().proposal(tenant, held.proposal.ref)
    if (read === null) throw new Error(`${ref} has vanished from the store`)
    proposals.push({ ref, read, receipts: await ground.store().receipts(tenant, held.proposal.ref) })
  }
  const effects = []
  for (const name of touched.effects) {
    const held = book.effects.get(name)
    if (held === undefined || corrupt.has(name)) continue
    const read = await ground.store().effect(held.key)
    if (read === null) throw new Error(`the effect ${name} has vanished from the store`)
    effects.push(read)
  }
  const shown = new Map<string, string | null>()
  for (const ref of new Set([...touched.begunOrHidden, ...tampered.keys()])) shown.set(ref, await shownOf(world, ref))
  const events = of === 'fresh' ? null : await ground.store().events(tenant, 0, EVENTS_MAX)
  return { world, fresh, proposals, effects, events, shown }
}

interface Touched {
  readonly refs: Set<string>
  /** Those whose preview is shown for the first time, or no more. */
  readonly begunOrHidden: Set<string>
  readonly effects: Set<string>
}

function touchedBy(fresh: readonly Entry[]): Touched {
  const touched = { refs: new Set<string>(), begunOrHidden: new Set<string>(), effects: new Set<string>() }
  for (const entry of fresh) {
    if (entry.kind !== 'committed') continue
    for (const write of entry.change.proposals) {
      const { ref } = write.kind === 'erase' ? write.tombstone : write.proposal
      touched.refs.add(ref)
      if (write.kind !== 'update' || write.proposal.erasure !== 'none') touched.begunOrHidden.add(ref)
    }
    if (entry.change.effect !== null) touched.effects.add(nameOf(entry.change.effect.row.key))
  }
  return touched
}

/** What a reader is shown as the preview of a proposal. */
async function shownOf(world: Witness, ref: string): Promise<string | null> {
  try {
    const view = await world.runtime.read(world.session('oscar'), ref)
    return view.kind === 'proposal' && view.preview !== null ? sortedText(view.preview) : null
  } catch (error) {
    if (error instanceof NotFound || error instanceof StoredDataCorrupt) return null
    throw error
  }
}
