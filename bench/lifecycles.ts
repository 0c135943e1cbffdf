// Whole lifecycles with a host whose own calls cost nothing: prepare, approve, execute and reconcile to verified.
import assert from 'node:assert/strict'
import {
  Action,
  contract,
  ephemeralKeyring,
  type Execute,
  type Executed,
  type Keyring,
  money,
  type Prepare,
  type PrepareInput,
  type Prepared,
  ProposalRuntime,
  type Resolve,
  type Resolved,
  type Session,
  type Snapshot,
  type Store,
  type Verified,
  type Verify,
} from 'countersign'
import { z } from 'zod'
import type { Loop } from './loop.ts'

const transfer = contract({
  type: 'bench.payments/transfer@1',
  schemas: {
    command: z.strictObject({ intent: z.string(), amount: money() }),
    snapshot: z.strictObject({ intent: z.string(), amount: money(), note: z.string() }),
    preview: z.strictObject({ title: z.string(), amount: money() }),
    result: z.strictObject({ transferId: z.string() }),
  },
  lifetime: '1h',
  policy: { require: [{ name: 'finance', count: 1, from: { role: 'finance' } }] },
  permissions: {
    prepare: 'support',
    read: ['support', 'finance'],
    list: ['support', 'finance'],
    decide: 'finance',
    execute: 'support',
    withdraw: 'support',
    reconcile: 'support',
    // Verification is asked for at once, whether it is due or not: what is measured is the runtime, not a wait.
    operate: 'support',
  },
  facts: ['/amount'],
  target: { name: 'bench', idempotent: { keyLifetime: '24h' } },
})
type Transfer = typeof transfer

class TransferAction extends Action<Transfer> {
  readonly contract = transfer
  readonly booked = new Map<string, number>()
  /** How many transfers were booked. @throws AssertionError if one was booked twice */
  bookedOnce(): number {
    assert([...this.booked.values()].every((times) => times === 1))
    return this.booked.size
  }

  /** Called while an execution is under way. */
  onExecute = (): void => {}

  async prepare({ command, effect }: Prepare<Transfer>): Promise<Prepared<Transfer>> {
    const snapshot = { ...command, note: 'n'.repeat(1_000) }
    return { snapshot, effectReference: effect.derive('transfer', command.intent) }
  }

  preview({ amount }: Snapshot<Transfer>): { title: string; amount: Snapshot<Transfer>['amount'] } {
    return { title: 'Transfer', amount }
  }

  async resolve({ snapshot }: Resolve<Transfer>): Promise<Resolved<Transfer>> {
    return { current: snapshot, precondition: 'version:1' }
  }

  async execute({ idempotencyKey }: Execute<Transfer>): Promise<Executed<Transfer>> {
    this.booked.set(idempotencyKey, (this.booked.get(idempotencyKey) ?? 0) + 1)
    this.onExecute()
    return { status: 'accepted', externalReference: idempotencyKey }
  }

  async verify({ idempotencyKeys, snapshot }: Verify<Transfer>): Promise<Verified<Transfer>> {
    const [identity] = idempotencyKeys
    assert(identity !== undefined && this.booked.has(identity))
    return { status: 'verified_completion', identity, matches: 1, facts: { '/amount': snapshot.amount } }
  }
}

/** Whole lifecycles on a store, which is closed with them. Processes that share one are told apart by a prefix. */
export async function lifecycles(store: Store, { keyring = ephemeralKeyring(), prefix = '' } = {}): Promise<Loop> {
  return lifecyclesOf(store, await openTransfers(store, keyring), prefix)
}

/** Likewise, on a runtime that is open already. */
export function lifecyclesOf(store: Store, { runtime, action }: Transfers, prefix = ''): Loop {
  let started = 0
  let verified = 0
  return {
    async run() {
      started += 1
      const { proposal, commitment } = await runtime.prepare(support, transferNamed(`transfer ${prefix}${started}`))
      await runtime.approve(finance, proposal, { commitment })
      await runtime.execute(support, proposal)
      const { status } = await runtime.reconcile(support, proposal, { now: true })
      assert.equal(status, 'verified')
      verified += 1
    },
    async assertOnce() {
      assert.equal(action.bookedOnce(), verified)
    },
    close: () => store.close(),
  }
}

/** A runtime, with the action whose own calls cost nothing. */
export interface Transfers {
  readonly runtime: ProposalRuntime
  readonly action: TransferAction
}

/** Opens it on a store. */
export async function openTransfers(store: Store, keyring: Keyring = ephemeralKeyring()): Promise<Transfers> {
  const action = new TransferAction()
  const runtime = await ProposalRuntime.open({ store, keyring, actions: [action] })
  return { runtime, action }
}

/** What is asked for in one lifecycle. */
export function transferNamed(intent: string): PrepareInput {
  return { action: transfer.type, command: { intent, amount: { amount: '10.00', currency: 'EUR' } } }
}

/** Who prepares and executes, and who approves. */
export const support: Session = session('ada', 'support')
export const finance: Session = session('fiona', 'finance')

function session(id: string, role: string): Session {
  return { tenant: 'bench', principal: { kind: 'user', id }, roles: [role], assurance: ['authenticated_session'] }
}
