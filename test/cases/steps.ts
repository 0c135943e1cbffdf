// Steps that many cases from the field share: how a provider fails, and how time passes until the runtime looks again.
import { isInDoubt } from '../../src/proposal/status.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import type { ExecutionWorld } from '../runtime/execution-world.ts'
import { MINUTE_MS } from '../runtime/harness.ts'
import type { Methods } from '../runtime/refund.ts'

export const SECOND_MS = 1_000

/** Past the lease and whatever may still be in flight, so that a final absence counts. */
export const PAST_BOUNDARY_MS: number = 5 * MINUTE_MS

/** The provider does it, and the caller never hears of it. */
export function commitThenDrop({ action }: Pick<ExecutionWorld, 'action'>): Methods['execute'] {
  const { execute } = action.methods
  return async (input) => {
    await execute(input)
    throw new TypeError('fetch failed')
  }
}

/** The caller sees the very same, and the provider has done nothing. */
export const dropBefore: Methods['execute'] = async () => {
  throw new TypeError('fetch failed')
}

/** Lets time pass until the runtime wants to look again, and lets it look. */
export async function lookWhenDue(world: ExecutionWorld, ref: string): Promise<OperationResult> {
  const { verifyDueAt } = await world.effect(ref)
  if (verifyDueAt !== null) await world.clock.advance(Math.max(0, verifyDueAt - world.clock.now()))
  return world.reconcile(ref)
}

/** Looks as often as it is due, until the runtime knows or asks for a person. */
export async function lookUntilSettled(world: ExecutionWorld, ref: string): Promise<OperationResult> {
  for (;;) {
    const looked = await lookWhenDue(world, ref)
    if (!isInDoubt(looked.status)) return looked
  }
}

/** The status, or that it is in doubt: by which of its three words is not what the cases are about. */
export function standing({ status }: Pick<OperationResult, 'status'>): string {
  return isInDoubt(status) ? 'in doubt' : status
}
