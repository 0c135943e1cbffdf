// A correct action against the ledger in process; seeded bugs are what is changed about it.
import { z } from 'zod'
import {
  Action,
  contract,
  type Execute,
  type Executed,
  money,
  type Prepare,
  type Prepared,
  type Preview,
  type Resolve,
  type Resolved,
  type Snapshot,
  type Verified,
  type Verify,
} from '../../../src/index.ts'
import type { Account, Credit, CreditAnswer, CreditSearch, Ledger } from './ledger.ts'

export const credit = contract({
  type: 'example.ledger/credit@1',
  schemas: {
    command: z.strictObject({ account: z.string(), intent: z.string(), amount: money() }),
    snapshot: z.strictObject({
      account: z.string(),
      version: z.int(),
      balance: z.int(),
      label: z.string(),
      note: z.string(),
      amount: money(),
    }),
    preview: z.strictObject({ title: z.string(), account: z.string(), amount: money() }),
    result: z.strictObject({ creditId: z.string() }),
  },
  lifetime: '10m',
  policy: { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }] },
  permissions: { prepare: 'support' },
  facts: ['/account', '/amount'],
  immaterial: ['/label'],
  target: { name: 'ledger', idempotent: { keyLifetime: '24h' } },
})
export type CreditContract = typeof credit

/** Credits an account once, at the version that was decided on. */
export class CreditAction extends Action<CreditContract> {
  readonly contract = credit
  readonly ledger: Ledger

  constructor(ledger: Ledger) {
    super()
    this.ledger = ledger
  }

  async prepare({ command, effect }: Prepare<CreditContract>): Promise<Prepared<CreditContract>> {
    const { account, intent, amount } = command
    const snapshot = { ...(await this.ledger.read(account)), amount }
    return { snapshot, effectReference: effect.derive('credit', account, intent) }
  }

  preview({ account, amount }: Snapshot<CreditContract>): Preview<CreditContract> {
    return { title: 'Credit an account', account, amount }
  }

  async resolve({ snapshot }: Resolve<CreditContract>): Promise<Resolved<CreditContract>> {
    const account = await this.ledger.read(snapshot.account)
    return { current: { ...account, amount: snapshot.amount }, precondition: preconditionOf(account) }
  }

  async execute(input: Execute<CreditContract>): Promise<Executed<CreditContract>> {
    return executedOf(await this.ledger.credit(orderOf(input)))
  }

  async verify({ idempotencyKeys }: Verify<CreditContract>): Promise<Verified<CreditContract>> {
    const keys: readonly string[] = idempotencyKeys
    return verifiedOf(await this.ledger.find(({ key }) => keys.includes(key), keys), keys)
  }
}

function preconditionOf({ version }: Pick<Account, 'version'>): string {
  return `version:${version}`
}

export function orderOf({ snapshot, precondition, idempotencyKey }: Execute<CreditContract>): Omit<Credit, 'id'> & {
  readonly version: number
} {
  const cents = Number(snapshot.amount.amount.replace('.', ''))
  return {
    account: snapshot.account,
    cents,
    key: idempotencyKey,
    version: Number(precondition.slice('version:'.length)),
  }
}

export function executedOf(answer: CreditAnswer): Executed<CreditContract> {
  if (answer.kind === 'changed') return { status: 'stale_no_effect', reason: 'account_changed' }
  const { id } = answer.credit
  return { status: 'accepted', externalReference: id, result: { creditId: id } }
}

export function verifiedOf({ credits, finished }: CreditSearch, keys: readonly string[]): Verified<CreditContract> {
  const found = credits[0]
  if (found !== undefined) return foundOf(found, credits.length)
  return finished
    ? { status: 'authoritative_final_absence', identity: keys, proof: 'terminal' }
    : { status: 'provisional_absence', identity: keys }
}

export function foundOf(
  found: Credit,
  matches: number,
): Extract<Verified<CreditContract>, { status: 'verified_completion' }> {
  const amount = { amount: (found.cents / 100).toFixed(2), currency: 'EUR' }
  return {
    status: 'verified_completion',
    identity: found.key,
    matches,
    facts: { '/account': found.account, '/amount': amount },
    externalReference: found.id,
    result: { creditId: found.id },
  }
}
