// What the types of a contract let pass and what must not compile; the compiler is the test, and every line marked is an error.
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type {
  Command,
  Executed,
  Facts,
  Prepare,
  Prepared,
  Preview,
  Resolved,
  Result,
  Snapshot,
  Verified,
} from '../../src/proposal/action.ts'
import { contract } from '../../src/proposal/contract.ts'
import { type Refund, refund, RefundAction, register } from './refund.ts'

const amount = { amount: '10.00', currency: 'EUR' }
const snapshot: Snapshot<Refund> = { orderReference: 'o', orderVersion: 1, amount, customer: null, tags: [] }
const identity = 'ik_x'

describe('the types of a contract', () => {
  it('are those of its schemas', () => {
    expectTypeOf<Command<Refund>['intent']>().toEqualTypeOf<string>()
    expectTypeOf<Snapshot<Refund>['orderVersion']>().toEqualTypeOf<number>()
    expectTypeOf<Snapshot<Refund>['customer']>().toEqualTypeOf<{ name: string; checkedOn: string } | null>()
    expectTypeOf<Preview<Refund>>().toEqualTypeOf<{ title: string; amount: { amount: string; currency: string } }>()
    expectTypeOf<Result<Refund>>().toEqualTypeOf<{ refundId: string }>()
    expectTypeOf<Facts<Refund>>().toEqualTypeOf<{ readonly '/amount': unknown }>()
    expectTypeOf<Prepare<Refund>['command']>().toEqualTypeOf<Command<Refund>>()
  })

  it('let an action be registered whatever its contract, also one with a policy function', () => {
    const chosen = contract({
      ...refund,
      policy: ({ snapshot: current, related }) => ({
        require: [{ name: current.amount.currency, count: related.length + 1, from: { role: 'finance-manager' } }],
      }),
    })

    expect(register({ contract: { ...chosen } }).policy).toBe(chosen.policy)
  })
})

describe('it does not compile', () => {
  it('to prepare another snapshot', () => {
    // @ts-expect-error a field is missing
    const missing: Prepared<Refund> = { snapshot: { orderReference: 'o' }, effectReference: 'er' }
    // @ts-expect-error a field has another type
    const other: Prepared<Refund> = { snapshot: { ...snapshot, orderVersion: '1' }, effectReference: 'er' }
    // @ts-expect-error an optional field is absent or has a value, never undefined
    const absent: Prepared<Refund> = { snapshot: { ...snapshot, note: undefined }, effectReference: 'er' }
    // @ts-expect-error the effect has no name
    const nameless: Prepared<Refund> = { snapshot }

    expect([missing, other, absent, nameless]).toHaveLength(4)
  })

  it('to resolve without a precondition, or to another snapshot', () => {
    // @ts-expect-error the executor has nothing to enforce
    const open: Resolved<Refund> = { current: snapshot }
    // @ts-expect-error a command is no snapshot
    const other: Resolved<Refund> = { current: { orderReference: 'o', intent: 'i', amount }, precondition: 'p' }

    expect([open, other]).toHaveLength(2)
  })

  it('to execute with another result, or to call it done', () => {
    // @ts-expect-error the result has another field
    const other: Executed<Refund> = { status: 'accepted', result: { id: 'r' } }
    // @ts-expect-error only the verifier completes
    const done: Executed<Refund> = { status: 'completed', result: { refundId: 'r' } }
    // @ts-expect-error a failure has a reason
    const silent: Executed<Refund> = { status: 'failed_known' }

    expect([other, done, silent]).toHaveLength(3)
  })

  it('to verify without a fact, the identity or the number of matches', () => {
    // @ts-expect-error the fact /amount is missing
    const factless: Verified<Refund> = { status: 'verified_completion', identity, matches: 1, facts: {} }
    // @ts-expect-error a fact that the contract does not name
    const other: Verified<Refund> = { status: 'verified_completion', identity, matches: 1, facts: { '/total': amount } }
    // @ts-expect-error whom does it speak of?
    const nobody: Verified<Refund> = { status: 'verified_completion', matches: 1, facts: { '/amount': amount } }
    // @ts-expect-error how many are there?
    const some: Verified<Refund> = { status: 'verified_completion', identity, facts: { '/amount': amount } }
    // @ts-expect-error a final absence has a proof
    const absent: Verified<Refund> = { status: 'authoritative_final_absence', identity: [identity] }
    // @ts-expect-error a refusal is that of one attempt
    const refused: Verified<Refund> = { status: 'verified_terminal_failure', identity }

    expect([factless, other, nobody, some, absent, refused]).toHaveLength(6)
  })

  it('to write a contract without what makes it safe, or with what it has not', () => {
    const { lifetime: _lifetime, ...endless } = refund
    const { facts: _facts, ...factless } = refund
    const { policy: _policy, ...lawless } = refund
    const wrong = [
      // @ts-expect-error no lifetime
      contract(endless),
      // @ts-expect-error no facts
      contract(factless),
      // @ts-expect-error no policy
      contract(lawless),
      // @ts-expect-error no duration
      contract({ ...refund, lifetime: '10 minutes' }),
      // @ts-expect-error no act
      contract({ ...refund, permissions: { approve: 'finance-manager' } }),
      // @ts-expect-error no kind of proof
      contract({ ...refund, acceptProof: { failure: ['gone'] } }),
      // @ts-expect-error no field
      contract({ ...refund, retries: 3 }),
      // @ts-expect-error no object
      contract({ ...refund, schemas: { ...refund.schemas, result: z.string() } }),
      // @ts-expect-error the target does not say whether it is idempotent
      contract({ ...refund, target: { name: 'psp' } }),
      // @ts-expect-error a policy function gets the snapshot, which has no total
      contract({ ...refund, policy: ({ snapshot: current }) => ({ require: [current.total] }) }),
    ]

    expect(wrong).toHaveLength(10)
  })

  it('to change what a method is given', () => {
    class Meddling extends RefundAction {
      override async prepare(input: Prepare<Refund>): Promise<Prepared<Refund>> {
        // @ts-expect-error what prepare gets is readonly
        input.signal = AbortSignal.abort()
        return super.prepare(input)
      }
    }

    expect(new Meddling().contract).toBe(refund)
  })
})
