// The refund of the documentation, as an action for tests: registered as it is, or with a part of it replaced.
import { z } from 'zod'
import type { Reference } from '../../src/effect/reference.ts'
import {
  Action,
  type Execute,
  type Executed,
  type Prepare,
  type Prepared,
  type Preview,
  type Resolve,
  type Resolved,
  type Snapshot,
  type Verified,
  type Verify,
} from '../../src/proposal/action.ts'
import { contract } from '../../src/proposal/contract.ts'
import { define, type Definition } from '../../src/proposal/definition/definition.ts'
import { DefinitionError, type Problem } from '../../src/proposal/errors.ts'
import { money } from '../../src/proposal/money.ts'

export const refund = contract({
  type: 'example.payments/refund@3',
  schemas: {
    command: z.strictObject({ orderReference: z.string(), intent: z.string(), amount: money() }),
    snapshot: z.strictObject({
      orderReference: z.string(),
      orderVersion: z.int(),
      amount: money(),
      note: z.exactOptional(z.string()),
      customer: z.strictObject({ name: z.string(), checkedOn: z.iso.date() }).nullable(),
      tags: z.array(z.string()),
    }),
    preview: z.strictObject({ title: z.string(), amount: money() }),
    result: z.strictObject({ refundId: z.string() }),
  },
  lifetime: '10m',
  policy: { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }] },
  permissions: { prepare: 'support', read: ['support', 'finance-manager'], decide: 'finance-manager' },
  facts: ['/amount'],
  target: { name: 'psp', idempotent: { keyLifetime: '24h' } },
})

export type Refund = typeof refund

export class RefundAction extends Action<Refund> {
  readonly contract: Refund = refund

  async prepare({ command, effect }: Prepare<Refund>): Promise<Prepared<Refund>> {
    const { orderReference, intent, amount } = command
    return {
      snapshot: { orderReference, orderVersion: 1, amount, customer: null, tags: [] },
      effectReference: effect.derive('refund', orderReference, intent),
    }
  }

  preview({ amount }: Snapshot<Refund>): Preview<Refund> {
    return { title: 'Refund', amount }
  }

  async resolve({ snapshot }: Resolve<Refund>): Promise<Resolved<Refund>> {
    return { current: snapshot, precondition: `order-version:${snapshot.orderVersion}` }
  }

  async execute({ idempotencyKey }: Execute<Refund>): Promise<Executed<Refund>> {
    return { status: 'accepted', result: { refundId: idempotencyKey } }
  }

  async verify({ idempotencyKeys }: Verify<Refund>): Promise<Verified<Refund>> {
    return { status: 'provisional_absence', identity: idempotencyKeys }
  }
}

/** A part of the contract and of the action's methods, in the place of what the refund has there. */
export interface Changes {
  readonly contract?: Readonly<Record<string, unknown>>
  readonly methods?: Readonly<Record<string, unknown>>
}

/** The refund, registered with these changes. */
export function register({ contract: fields = {}, methods = {} }: Changes = {}): Definition {
  return define(Object.assign(new RefundAction(), methods, { contract: { ...refund, ...fields } }))
}

/** Why the refund with these changes is not registered, each problem as path and rule; none if it is. */
export function problemsOf(changes: Changes): readonly string[] {
  return definitionProblems(changes).map(({ path, rule }) => `${path} ${rule}`)
}

/** As {@link problemsOf}, whole. */
export function definitionProblems(changes: Changes): readonly Problem[] {
  try {
    register(changes)
    return []
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems
    throw error
  }
}

/** A text as a reference, in tests that know that it is one. */
export function reference(text: string): Reference {
  return text as Reference
}
