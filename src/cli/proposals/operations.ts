// The commands about proposals, each as one question to a running server.
import type { DecisionInput } from '../../runtime/decide.ts'
import type { ListInput } from '../../runtime/list.ts'
import type { OperationResult } from '../../runtime/result.ts'
import type { Answer } from '../answer.ts'
import { EXIT } from '../exit-codes.ts'
import { connect } from './connect.ts'
import { exitOfOutcome } from './exit-of-outcome.ts'
import { erasureLines, pageLines, resultLines, viewLines } from './tell.ts'

/** A page of what the caller may see. */
export async function listProposals(input: ListInput): Promise<Answer> {
  const page = await connect().list(input)
  return { exit: EXIT.good, data: page, lines: pageLines(page) }
}

/** One proposal in full. */
export async function showProposal(proposal: string): Promise<Answer> {
  const view = await connect().read(proposal)
  return { exit: EXIT.good, data: view, lines: viewLines(view) }
}

/** Approves, or rejects, exactly what was shown. */
export async function decideOnProposal(
  decision: 'approve' | 'reject',
  proposal: string,
  input: DecisionInput,
): Promise<Answer> {
  return told(decision, await connect()[decision](proposal, input))
}

/** Has the executor called, at most once. */
export async function executeProposal(
  proposal: string,
  input: { readonly reconcile?: boolean; readonly ifRevision?: number },
): Promise<Answer> {
  const client = connect()
  return told('execute', await client.execute(proposal, input))
}

/** Finds out what became of an effect. */
export async function reconcileProposal(proposal: string, input: { readonly now?: boolean }): Promise<Answer> {
  return told('reconcile', await connect().reconcile(proposal, input))
}

/** Takes an open proposal back. */
export async function withdrawProposal(proposal: string, input: { readonly reason?: string }): Promise<Answer> {
  return told('withdraw', await connect().withdraw(proposal, input))
}

/** Removes all content of a proposal. */
export async function eraseProposal(proposal: string, input: { readonly reason: string }): Promise<Answer> {
  const result = await connect().erase(proposal, input)
  return { exit: exitOfOutcome('erase', result.outcome), data: result, lines: erasureLines(result) }
}

function told(command: 'approve' | 'reject' | 'execute' | 'reconcile' | 'withdraw', result: OperationResult): Answer {
  return { exit: exitOfOutcome(command, result.outcome), data: result, lines: resultLines(result) }
}
