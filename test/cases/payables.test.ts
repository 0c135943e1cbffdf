// Cases about invoices, with the example's action and a real business system that others write to.
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type InvoicePayment, invoicePayment, InvoicePaymentAction } from '../../examples/docs/invoice-action.ts'
import {
  Action,
  type AnyAction,
  type Execute,
  type Executed,
  type Prepare,
  type Prepared,
  type Resolve,
  type Resolved,
  type Snapshot,
  type Verified,
  type Verify,
} from '../../src/proposal/action.ts'
import { contract } from '../../src/proposal/contract.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { type BusinessSystem, startBusinessSystem } from '../../src/testing/business-system/start.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { finance1, finance2, director, session } from '../runtime/sessions.ts'
import { temporaryFolder } from '../testing/business-system/fixture.ts'

const clerk = session('user:pat', ['payables'])
const ibanB = 'GB82WEST12345698765432'

interface Payables<A extends AnyAction> {
  readonly business: BusinessSystem
  readonly action: A
  readonly runtime: ProposalRuntime
  readonly clock: VirtualClock
  /** Approved by two finance managers. */
  approvedPayment(invoiceReference?: string): Promise<string>
  /** Executed and, where it was accepted, looked at once it is due. */
  paid(proposal: string): Promise<OperationResult>
  driftPaths(proposal: string): Promise<readonly string[]>
}

async function openPayables<A extends AnyAction>(
  actionAt: (url: string) => A,
  others: readonly AnyAction[] = [],
): Promise<Payables<A>> {
  const folder = temporaryFolder()
  const clock = new VirtualClock(Date.UTC(2030, 0, 1))
  const business = await startBusinessSystem({ file: join(folder, 'business.db'), now: clock.now() })
  const store = await sqliteStore(join(folder, 'countersign.db'), { clock })
  onTestFinished(async () => {
    await store.close()
    await business.stop()
  })
  const keyring = ephemeralKeyring()
  const action = actionAt(business.url)
  const runtime = await ProposalRuntime.open({ store, keyring, clock, actions: [action, ...others] })
  return {
    business,
    action,
    runtime,
    clock,
    async approvedPayment(invoiceReference = 'INV-2001') {
      const command = { invoiceReference }
      const { proposal, commitment } = await runtime.prepare(clerk, { action: invoicePayment.type, command })
      for (const approver of [finance1, finance2]) await runtime.approve(approver, proposal, { commitment })
      return proposal
    },
    async paid(proposal) {
      const executed = await runtime.execute(clerk, proposal)
      if (executed.waitUntil === null) return executed
      await clock.advance(executed.waitUntil - clock.now())
      return runtime.reconcile(clerk, proposal)
    },
    async driftPaths(proposal) {
      const view = await runtime.read(finance1, proposal)
      return view.kind === 'proposal' ? view.driftPaths : []
    },
  }
}

/** A payment of which one method was tampered with, or a field of its contract. */
class OtherPayment extends InvoicePaymentAction {
  override readonly contract: InvoicePayment
  beforeWrite: () => Promise<void> = async () => {}
  found: (found: Verified<InvoicePayment>) => Verified<InvoicePayment> = (found) => found

  constructor(url: string, fields: Partial<InvoicePayment> = {}) {
    super(url)
    this.contract = { ...invoicePayment, ...fields }
  }

  override async execute(input: Execute<InvoicePayment>): Promise<Executed<InvoicePayment>> {
    await this.beforeWrite()
    return super.execute(input)
  }

  override async verify(input: Verify<InvoicePayment>): Promise<Verified<InvoicePayment>> {
    return this.found(await super.verify(input))
  }
}

describe('case C055: account changed and changed back between approval and payment', () => {
  async function changedAndBack({ business }: Pick<Payables<AnyAction>, 'business'>): Promise<void> {
    await business.changeBankAccount('SUP-301', ibanB)
    await business.changeBankAccount('SUP-301', 'DE89370400440000000301')
  }

  it('case C055 a snapshot with the account’s version refuses, and names it', async () => {
    const payables = await openPayables((url) => new InvoicePaymentAction(url))
    const proposal = await payables.approvedPayment()

    await changedAndBack(payables)

    expect((await payables.paid(proposal)).status).toBe('stale')
    expect(await payables.driftPaths(proposal)).toEqual(['/accountVersion'])
    expect(await payables.business.effects()).toEqual([])
  })

  it('case C055 one with the account alone pays: the facts that it declares are equal', async () => {
    const payables = await openPayables((url) => new OtherPayment(url, { immaterial: ['/accountVersion'] }))
    const proposal = await payables.approvedPayment()

    await changedAndBack(payables)

    expect((await payables.paid(proposal)).status).toBe('verified')
    expect(await payables.business.effects()).toMatchObject([{ invoiceReference: 'INV-2001', count: 1 }])
  })

  it('case C055 changed and changed back after the last look, it is refused where it is booked', async () => {
    const payables = await openPayables((url) => new OtherPayment(url))
    const proposal = await payables.approvedPayment()
    payables.action.beforeWrite = async () => changedAndBack(payables)

    expect(await payables.paid(proposal)).toMatchObject({ status: 'stale', reason: 'stale_no_effect' })
    expect(await payables.business.effects()).toEqual([])
  })

  const bankChange = contract({
    type: 'example.payables/bank-change@1',
    schemas: {
      command: z.strictObject({ supplierReference: z.string(), iban: z.string() }),
      snapshot: z.strictObject({ supplierReference: z.string(), iban: z.string() }),
      preview: z.strictObject({ supplierReference: z.string(), iban: z.string() }),
      result: z.strictObject({}),
    },
    lifetime: '1d',
    policy: { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }] },
    permissions: { ...invoicePayment.permissions },
    facts: ['/iban'],
    target: { name: 'business-system', idempotent: { keyLifetime: '24h' } },
  })

  type BankChange = typeof bankChange

  /** Changes the account of a supplier. Here it is only approved: that is what the next approver must see. */
  class BankChangeAction extends Action<BankChange> {
    readonly contract = bankChange
    async prepare({ command, effect }: Prepare<BankChange>): Promise<Prepared<BankChange>> {
      const effectReference = effect.derive('bank-change', command.supplierReference, command.iban)
      return { snapshot: command, effectReference, subject: effect.derive('supplier', command.supplierReference) }
    }
    preview(snapshot: Snapshot<BankChange>): Snapshot<BankChange> {
      return snapshot
    }
    async resolve({ snapshot }: Resolve<BankChange>): Promise<Resolved<BankChange>> {
      return { current: snapshot, precondition: 'none' }
    }
    async execute(): Promise<Executed<BankChange>> {
      return { status: 'accepted' }
    }
    async verify({ idempotencyKeys }: Verify<BankChange>): Promise<Verified<BankChange>> {
      return { status: 'provisional_absence', identity: idempotencyKeys }
    }
  }

  it('case C055 who approves the payment is shown that the account was just changed, and by whom it was approved', async () => {
    const finance = { name: 'finance', count: 2, from: { role: 'finance-manager' } }
    const afterChange = { name: 'director after a change of account', count: 1, from: { role: 'director' } }
    const policy: InvoicePayment['policy'] = ({ related }) => {
      const isChanged = related.some(({ action }) => action === bankChange.type)
      return { require: isChanged ? [finance, afterChange] : [finance] }
    }
    const payables = await openPayables((url) => new OtherPayment(url, { policy }), [new BankChangeAction()])
    const { runtime, clock } = payables
    const command = { supplierReference: 'SUP-301', iban: ibanB }
    const change = await runtime.prepare(clerk, { action: bankChange.type, command })
    await runtime.approve(finance1, change.proposal, { commitment: change.commitment })
    await runtime.execute(clerk, change.proposal)
    await clock.advance(10 * 60_000)

    const payment = await payables.approvedPayment()

    const shown = await runtime.read(finance1, payment)
    expect(shown).toMatchObject({
      status: 'awaiting_approval',
      related: [{ proposal: change.proposal, action: bankChange.type, sameEffect: false }],
      policy: { requirements: [{ state: 'met' }, { state: 'missing', name: 'director after a change of account' }] },
    })
    expect(await runtime.read(finance1, change.proposal)).toMatchObject({
      approvals: [{ decision: 'approve', approver: { id: 'fiona' } }],
    })
    const { commitment } = await runtime.execute(clerk, payment)
    expect((await runtime.approve(director, payment, { commitment })).outcome).toBe('approved')
  })
})

describe('case C058: the ledger moves the date by itself because the period is locked', () => {
  it('case C058 a period that was closed since the approval is drift', async () => {
    const payables = await openPayables((url) => new InvoicePaymentAction(url))
    const proposal = await payables.approvedPayment()

    await payables.business.changePeriod('2030-01', 'closed')

    expect((await payables.paid(proposal)).status).toBe('stale')
    expect(await payables.driftPaths(proposal)).toEqual(['/postingVersion'])
  })

  it('case C058 closed after the last look, nothing is booked: the precondition has the version of the period', async () => {
    const payables = await openPayables((url) => new OtherPayment(url))
    const proposal = await payables.approvedPayment()
    payables.action.beforeWrite = async () => payables.business.changePeriod('2030-01', 'closed')

    expect(await payables.paid(proposal)).toMatchObject({ status: 'stale', reason: 'stale_no_effect' })
    expect(await payables.business.effects()).toEqual([])
  })

  it('case C058 posted in another period than was approved, it is not what was approved', async () => {
    const payables = await openPayables((url) => new OtherPayment(url))
    payables.action.found = (found) => {
      if (found.status !== 'verified_completion') return found
      return { ...found, facts: { ...found.facts, '/ledgerPeriod': '2030-02' } }
    }
    const proposal = await payables.approvedPayment()

    const read = await payables.paid(proposal)

    expect([read.status, read.nextStep]).toEqual(['verification_unresolved', 'operator'])
    expect(read.attention).toContain('effect_mismatch')
  })
})
