// Effects that wait for a person, and the people who look into them: a world whose target a test scripts answer by answer.
import type { Effect } from '../../src/effect/effect.ts'
import type { Executed, Verified, Verify } from '../../src/proposal/action.ts'
import type { Receipt } from '../../src/proposal/receipts/receipt.ts'
import type { Session } from '../../src/proposal/session.ts'
import type { SettleInput } from '../../src/runtime/operate/operate.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import { effectOf, MINUTE_MS, openWorld, reference, type World, type WorldOptions } from './harness.ts'
import { refund, type Refund } from './refund.ts'
import { finance1, requester, service, session, TENANT } from './sessions.ts'

/** A second operator, who is not the first. */
export const operator2: Session = session('user:olivia', ['operator'])
/** What passes on the provider's webhooks, and may do nothing else. */
export const webhooks: Session = session('service:webhooks', ['webhooks'])
/** Reads and exports evidence. */
export const examiner: Session = session('user:ella', ['auditor', 'examiner'])

export const permissions: Readonly<Record<string, unknown>> = {
  ...refund.permissions,
  observe: 'webhooks',
  evidence: 'examiner',
}

/** Long enough for every lease to end and every request to land. */
export const SETTLED_MS: number = 3 * MINUTE_MS

/** The world of operators: one absence is enough to ask a person, and `terminal` is good for sending again. */
export async function openOperators({ contract, ...options }: WorldOptions): Promise<World> {
  return openWorld({
    ...options,
    contract: {
      permissions,
      lifetime: '2h',
      verification: { absences: 1 },
      acceptProof: { failure: ['terminal', 'key_consumed'], resend: ['terminal'] },
      ...contract,
    },
  })
}

/** What a verifier answers. */
export type Answer = (asked: Verify<Refund>) => Verified<Refund>

export const gone: Answer = ({ idempotencyKeys }) => ({ status: 'provisional_absence', identity: idempotencyKeys })
export const goneForGood: Answer = ({ idempotencyKeys }) => {
  return { status: 'authoritative_final_absence', identity: idempotencyKeys, proof: 'terminal' }
}
export const unavailable: Answer = () => ({ status: 'target_unavailable' })
export const found: Answer = (asked) => foundWith(asked)
export const foundTwice: Answer = (asked) => ({ ...foundWith(asked), matches: 2 })
export const foundOther: Answer = (asked) => {
  const { facts, ...rest } = foundWith(asked)
  return { ...rest, facts: { ...facts, '/amount': { amount: '99.00', currency: 'EUR' } } }
}
export const reversed: Answer = (asked) => ({ ...foundWith(asked), status: 'reversed_after_completion' })

function foundWith({
  idempotencyKeys,
  snapshot,
}: Verify<Refund>): Extract<Verified<Refund>, { status: 'verified_completion' }> {
  return {
    status: 'verified_completion',
    identity: idempotencyKeys.at(-1) ?? '',
    matches: 1,
    facts: { '/orderReference': snapshot.orderReference, '/amount': snapshot.amount },
    externalReference: 'rf-1',
    result: { refundId: 'rf-1' },
  }
}

/** Lets the verifier answer so from now on. */
export function answering({ action }: World, answer: Answer): void {
  action.methods.verify = async (asked) => answer(asked)
}

/** Lets the executor end so from now on. */
export function executing({ action }: World, end: () => Promise<Executed<Refund>>): void {
  action.methods.execute = end
}

export const lost = async (): Promise<never> => {
  throw new Error('the answer was lost')
}
export const refusing = async (): Promise<Executed<Refund>> => ({ status: 'failed_known', reason: 'card_expired' })

/** A proposal for the intent, approved. */
export async function approvedFor(world: World, intent: string, by: Session = requester): Promise<OperationResult> {
  const { proposal, commitment } = await world.runtime.prepare(by, world.input({ intent }))
  return world.runtime.approve(finance1, proposal, { commitment })
}

/** A proposal whose call ended without an answer. */
export async function inDoubt(world: World, intent = 'broken vase'): Promise<string> {
  executing(world, lost)
  const { proposal } = await approvedFor(world, intent)
  await world.runtime.execute(requester, proposal)
  return proposal
}

/** A proposal for whose effect a person is asked, since nothing was found. */
export async function unresolved(world: World, intent?: string): Promise<string> {
  const proposal = await inDoubt(world, intent)
  await world.clock.advance(SETTLED_MS)
  answering(world, gone)
  await world.runtime.reconcile(service, proposal)
  return proposal
}

/** A proposal of whose effect there is an absence and a confirmation. */
export async function contradicted(world: World, intent?: string): Promise<string> {
  const proposal = await inDoubt(world, intent)
  await world.clock.advance(SETTLED_MS)
  answering(world, found)
  await world.runtime.reconcile(service, proposal)
  answering(world, goneForGood)
  await world.runtime.reconcile(OPERATOR, proposal, { now: true })
  return proposal
}

/** A second proposal for the same effect, after the first one's settled boundary. */
export async function successor(world: World, intent = 'broken vase', by: Session = requester): Promise<string> {
  return (await approvedFor(world, intent, by)).proposal
}

const OPERATOR: Session = session('user:oscar', ['operator'])

/** A settlement with everything that one must say. */
export function saying(verdict: SettleInput['verdict'], fields: Partial<SettleInput> = {}): SettleInput {
  return { verdict, reason: 'statement_checked', evidenceReference: 'case-7', ...fields }
}

/** The effect behind a proposal. */
export async function effectBehind(world: World, ref: string): Promise<Effect> {
  const effect = await world.bareStore.effect(await effectOf(world, ref))
  if (effect === null) throw new Error(`nobody has claimed the effect of ${ref}`)
  return effect
}

/** The key that the last attempt carried. */
export async function keyOf(world: World, ref: string): Promise<string> {
  const last = (await effectBehind(world, ref)).attempts.at(-1)
  if (last === undefined) throw new Error(`nothing was attempted for ${ref}`)
  return last.idempotencyKey
}

/** What the last receipt of a proposal says. */
export async function lastReceipt(world: World, ref: string): Promise<NonNullable<Receipt['body']>> {
  const body = (await world.bareStore.receipts(reference(TENANT), reference(ref))).at(-1)?.body
  if (body === undefined || body === null) throw new Error(`${ref} has no receipt`)
  return body
}
