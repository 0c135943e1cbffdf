// Evidence in plain words: what was sent, what was seen, and whether anything will be sent again.
import type { Receipt, ReceiptType } from '../../../proposal/receipts/receipt.ts'
import type { ProposalView } from '../../../runtime/read.ts'

/** What is known of the effect, in sentences. Spec: http "The inbox page". */
export function evidenceWords(view: ProposalView, receipts: readonly Receipt[]): readonly string[] {
  const { evidence } = view
  return [
    ...statusSentences(view, lastOf(receipts)),
    ...(evidence !== null && evidence.attempts > 1 ? [`${evidence.attempts} attempts were made.`] : []),
    ...(evidence?.conflict === true ? ['What was seen contradicts itself.'] : []),
    ...(evidence?.duplicatePossible === true ? ['It may have happened more than once.'] : []),
    ...settledWords(evidence?.settled ?? null),
  ]
}

/** Which operator has recorded alone that nothing happened; null if nobody has, or a second one has said so too. */
export function settledAloneBy({ attention }: ProposalView, receipts: readonly Receipt[]): string | null {
  if (!attention.includes('settlement_unconfirmed')) return null
  const last = receipts.findLast(({ body }) => body?.type === 'operation.settled')?.body
  return last?.participant ?? null
}

const NOT_AGAIN = 'Nothing will be sent again.'
/** A proof that nothing is there for good may let people have it sent once more. */
const NOT_AGAIN_NOW = 'Nothing will be sent again while that is so.'

function statusSentences({ status, evidence }: ProposalView, lastCall: ReceiptType | null): readonly string[] {
  switch (status) {
    case 'awaiting_approval':
    case 'approved':
      return evidence === null
        ? ['Nothing has been sent.']
        : [
            'An earlier attempt was made, and it is shown that it had no effect.',
            'It is sent again only on approvals that count now.',
          ]
    case 'executing':
      return ['The request is under way. Whether it has its effect is not known yet.', NOT_AGAIN_NOW]
    case 'verification_pending':
      return lastCall === 'execution.accepted'
        ? ['The provider accepted the request. It has not yet been seen at the provider.', NOT_AGAIN_NOW]
        : ['An attempt was interrupted. It is being looked for at the provider.', NOT_AGAIN_NOW]
    case 'failed_unknown':
      return [
        'The request ended without an answer: it may have had its effect, or not. It is being looked for at the provider.',
        NOT_AGAIN_NOW,
      ]
    case 'verification_unresolved':
      return ['It could not be found out whether the effect happened. A person must look.', NOT_AGAIN_NOW]
    case 'verified':
      return ['The effect was found at the provider, with what was approved.', NOT_AGAIN]
    case 'failed_known':
      return ['It is known that the effect did not happen.', NOT_AGAIN]
    case 'closed_unknown':
      return ['It was closed by a person without an answer: it may have happened, or not.', NOT_AGAIN]
    case 'stale':
      return ['The business has changed since this was prepared. Nothing was done.']
    case 'superseded':
      return ['The effect was done through another proposal.']
    case 'rejected':
    case 'withdrawn':
    case 'expired':
      return evidence === null
        ? ['Nothing was sent.']
        : ['It was closed; what became of an earlier attempt stands below.']
  }
}

function settledWords(settled: NonNullable<ProposalView['evidence']>['settled']): readonly string[] {
  switch (settled) {
    case null:
      return []
    case 'occurred':
      return ['A person recorded that it happened.']
    case 'did_not_occur':
      return ['A person recorded that it did not happen.']
    case 'closed_unknown':
      return ['A person closed it without an answer.']
  }
}

function lastOf(receipts: readonly Receipt[]): ReceiptType | null {
  const calls = receipts.flatMap(({ body }) => (body?.type.startsWith('execution.') === true ? [body.type] : []))
  return calls.at(-1) ?? null
}
