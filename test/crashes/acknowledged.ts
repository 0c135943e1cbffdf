// What was acknowledged to a caller, and whether the store still holds it: the measure of "nothing is lost".
import type { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import type { Store } from '../../src/runtime/ports.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import { reference } from '../runtime/harness.ts'
import { TENANT } from '../runtime/sessions.ts'

/** An answer that somebody was given: of an operation on a proposal, or of a guarded call. */
export type Acknowledged =
  | ({ readonly kind: 'proposal'; readonly operation: string } & Pick<
      OperationResult,
      'proposal' | 'status' | 'revision'
    >)
  | { readonly kind: 'call'; readonly key: string; readonly status: string }
  | { readonly kind: 'erased'; readonly proposal: OperationResult['proposal'] }

/** An answer to an operation, as far as it must never be taken back. */
export function acknowledgedOf(
  operation: string,
  { proposal, status, revision }: Pick<OperationResult, 'proposal' | 'status' | 'revision'>,
): Acknowledged {
  return { kind: 'proposal', operation, proposal, status, revision }
}

/** The sentence of every answer that the store knows nothing of any more. */
export async function lostOf(
  acknowledged: readonly Acknowledged[],
  { store, runner, callName }: { readonly store: Store; readonly runner: ActionRunner; readonly callName: string },
): Promise<readonly string[]> {
  const lost: string[] = []
  const tenant = reference(TENANT)
  for (const one of acknowledged) {
    if (one.kind === 'call') {
      const receipt = await runner.find(callName, one.key)
      if (receipt?.finalStatus !== one.status) lost.push(`the call ${one.key} was ${one.status}`)
      continue
    }
    if (one.kind === 'erased') {
      const stored = await store.proposal(tenant, one.proposal)
      if (stored?.kind !== 'erased') lost.push(`${one.proposal} was answered as erased`)
      continue
    }
    const receipt = (await store.receipts(tenant, one.proposal))[one.revision]
    // Of an erased proposal the chain is left without its words.
    const isThere = receipt !== undefined && (receipt.body === null || receipt.body.status === one.status)
    if (!isThere)
      lost.push(`${one.operation} of ${one.proposal} was answered ${one.status} at revision ${one.revision}`)
  }
  return lost
}
