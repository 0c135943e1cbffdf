// An action whose target is in the hands of a test: it keeps the executor waiting until it is told to answer.
import process from 'node:process'
import { z } from 'zod'
import {
  Action,
  type Execute,
  type Executed,
  type Prepare,
  type Prepared,
  type Resolved,
  type Verified,
  type Verify,
} from '../../src/proposal/action.ts'
import { contract } from '../../src/proposal/contract.ts'

const held = contract({
  type: 'test.payments/held@1',
  schemas: {
    command: z.strictObject({ intent: z.string() }),
    snapshot: z.strictObject({ amount: z.int() }),
    preview: z.strictObject({ amount: z.int() }),
    result: z.strictObject({}),
  },
  lifetime: '1d',
  policy: { require: [{ name: 'manager', count: 1, from: { role: 'manager' } }] },
  permissions: {
    prepare: 'requester',
    execute: 'requester',
    reconcile: 'requester',
    read: ['requester', 'manager'],
    decide: 'manager',
  },
  facts: ['/amount'],
  verification: { delay: '1s' },
  target: { name: 'held', idempotent: { keyLifetime: '1d' } },
})
type Held = typeof held

/** Sends to the address in `HELD_TARGET`. */
export class HeldAction extends Action<Held> {
  readonly contract = held

  async prepare({ command, effect }: Prepare<Held>): Promise<Prepared<Held>> {
    return { snapshot: { amount: 10 }, effectReference: effect.derive('held', command.intent) }
  }

  preview(snapshot: { readonly amount: number }): { readonly amount: number } {
    return snapshot
  }

  async resolve(): Promise<Resolved<Held>> {
    return { current: { amount: 10 }, precondition: 'none' }
  }

  async execute({ idempotencyKey, signal }: Execute<Held>): Promise<Executed<Held>> {
    await fetch(targetOf(idempotencyKey), { method: 'POST', signal })
    return { status: 'accepted' }
  }

  async verify({ idempotencyKeys, signal }: Verify<Held>): Promise<Verified<Held>> {
    const [identity = ''] = idempotencyKeys
    const response = await fetch(targetOf(identity), { signal })
    const matches = Number(await response.text())
    if (matches === 0) return { status: 'provisional_absence', identity: idempotencyKeys }
    return { status: 'verified_completion', identity, matches, facts: { '/amount': 10 } }
  }
}

function targetOf(idempotencyKey: string): URL {
  return new URL(`/${idempotencyKey}`, process.env['HELD_TARGET'])
}
