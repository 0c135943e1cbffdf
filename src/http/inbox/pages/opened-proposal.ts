// One proposal, opened for its page: what may be shown of it, what the viewer may do, and what happened.
import type { Receipt } from '../../../proposal/receipts/receipt.ts'
import type { JsonSchema } from '../../../runtime/actions.ts'
import type { ErasedView, ProposalView } from '../../../runtime/read.ts'
import type { Standing } from '../../../runtime/standing.ts'
import type { PageCall } from '../page-call.ts'
import { type PreviewForm, previewForm } from '../preview/form.ts'
import { previewSchemas } from './entries.ts'

/** Everything that the page of a proposal is made of. */
export interface OpenedProposal {
  readonly kind: 'proposal'
  readonly view: ProposalView
  readonly standing: Standing
  readonly schema: JsonSchema | null
  readonly form: PreviewForm
  readonly receipts: readonly Receipt[]
  /** Whether the chain of receipts is whole. */
  readonly isWhole: boolean
}

/** What is left of an erased one. */
export interface OpenedRemains {
  readonly kind: 'erased'
  readonly view: ErasedView
}

/** @throws NotFound, also for what the viewer may not read */
export async function openProposal({ runtime, session, param }: PageCall): Promise<OpenedProposal | OpenedRemains> {
  const ref = param('ref')
  const view = await runtime.read(session, ref)
  if (view.kind === 'erased') return { kind: 'erased', view }
  const [standing, schemas, { receipts, check }] = await Promise.all([
    runtime.standing(session, ref),
    previewSchemas(runtime, session),
    runtime.receipts(session, ref),
  ])
  const schema = schemas.get(view.action) ?? null
  const isWhole = check.integrity.length === 0 && check.consistency.length === 0
  return { kind: 'proposal', view, standing, schema, form: previewForm(schema, view.preview), receipts, isWhole }
}
