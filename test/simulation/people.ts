// What people do in a simulation: they ask, approve, change their minds, press twice, operate, erase, and write to the order.
import type { Held } from '../model/book.ts'
import type { Person } from '../model/cast.ts'
import { nameOf } from '../model/effect-name.ts'
import { AMOUNTS, approversOf } from '../model/payment.ts'
import type { Machine } from './machine.ts'
import type { Office } from './office.ts'
import type { Random } from './random.ts'
import type { Tenant } from './tenant.ts'
import { executeOnce } from './worker.ts'

/** What is at hand when somebody does something. */
interface Scene {
  readonly random: Random
  readonly office: Office
  readonly machine: Machine
  readonly tenant: Tenant
}

type Act = (scene: Scene) => Promise<unknown>

const INTENTS = ['damaged item', 'late delivery'] as const
/** Nobody prepares more than this in one run: every proposal costs time. */
const PROPOSALS_MAX = 3

/** Somebody does something. */
export async function actOf(scene: Scene): Promise<void> {
  const { tenant, random } = scene
  const act = tenant.book.proposals.size === 0 ? request : random.weighted(ACTS)
  await act(scene)
}

const request: Act = async ({ random, office, machine, tenant }) => {
  const { book, profile } = tenant
  if (book.proposals.size >= PROPOSALS_MAX) return
  const { type } = random.pick(profile.contracts)
  const command = {
    order: 'ORD-1001',
    intent: random.chance(0.7) ? INTENTS[0] : INTENTS[1],
    amount: { amount: random.chance(0.8) ? AMOUNTS[0] : AMOUNTS[1], currency: 'EUR' },
  }
  const replaced = random.chance(0.15) ? newest(random, tenant) : null
  const input = {
    action: type,
    command,
    ...(random.chance(0.4) ? { requestKey: random.pick(['key-1', 'key-2']) } : {}),
    ...(replaced === null ? {} : { replaces: replaced.proposal.ref }),
  }
  const by = random.weighted<Person>([
    [6, 'rita'],
    [1, 'ruth'],
    [1, 'bot'],
  ])
  const session = tenant.session(by)
  const prepared = await office.ask(machine, tenant, 'prepare', (runtime) => runtime.prepare(session, input))
  // Whoever asks in a hurry has it approved at once.
  const held = prepared?.proposal === undefined ? undefined : book.proposals.get(prepared.proposal)
  if (held !== undefined && random.chance(0.9)) await approveAll({ random, office, machine, tenant }, held)
}

const approve: Act = async (scene) => {
  const held = newest(scene.random, scene.tenant)
  if (held !== null) await approveAll(scene, held)
}

async function approveAll({ office, machine, tenant }: Scene, { proposal }: Held): Promise<void> {
  const { ref, commitment } = proposal
  for (const person of approversOf(tenant.profile, tenant.preparedFor(ref).amount.amount)) {
    const session = tenant.session(person)
    await office.ask(machine, tenant, 'approve', (runtime) => runtime.approve(session, ref, { commitment }))
  }
}

const execute: Act = async ({ random, office, machine, tenant }) => {
  const held = newest(random, tenant)
  if (held !== null) await executeOnce(office, machine, tenant, 'rita', held.proposal.ref)
}

const revoke: Act = async ({ random, office, machine, tenant }) => {
  const held = newest(random, tenant)
  const given = held?.approvals.findLast(({ decision, revokedAt }) => decision === 'approve' && revokedAt === null)
  const person = (['fiona', 'felix', 'dora'] as const).find((one) => one === given?.approver.id)
  if (held === null || given === undefined || person === undefined) return
  const session = tenant.session(person)
  await office.ask(machine, tenant, 'revoke', (runtime) => {
    return runtime.revokeApproval(session, held.proposal.ref, given.approvalId)
  })
}

const reject: Act = async ({ random, office, machine, tenant }) => {
  const held = newest(random, tenant)
  if (held === null) return
  const { ref, commitment } = held.proposal
  const session = tenant.session('felix')
  await office.ask(machine, tenant, 'reject', (runtime) => runtime.reject(session, ref, { commitment }))
}

const withdraw: Act = async ({ random, office, machine, tenant }) => {
  const held = newest(random, tenant)
  if (held === null) return
  const session = tenant.session('oscar')
  await office.ask(machine, tenant, 'withdraw', (runtime) => runtime.withdraw(session, held.proposal.ref))
}

const lookNow: Act = async ({ random, office, machine, tenant }) => {
  const held = newest(random, tenant)
  if (held === null) return
  const session = tenant.session('oscar')
  await office.ask(machine, tenant, 'reconcile', (runtime) => {
    return runtime.reconcile(session, held.proposal.ref, { now: true })
  })
}

/** An operator takes on what asks for a person, if anything does. */
export const operate: Act = async ({ random, office, machine, tenant }) => {
  const asking = [...tenant.book.proposals.values()].filter(({ proposal }) => {
    return proposal.status === 'verification_unresolved' || proposal.attention.length > 0
  })
  const held = asking.length === 0 ? newest(random, tenant) : random.pick(asking)
  if (held === null) return
  const { ref } = held.proposal
  const session = tenant.session(random.pick<Person>(['oscar', 'otto']))
  if (random.chance(0.4)) {
    await office.ask(machine, tenant, 'resume', (runtime) => runtime.resume(session, ref, { reason: 'asked_the_bank' }))
    return
  }
  const verdict = random.pick(['occurred', 'did_not_occur', 'did_not_occur', 'closed_unknown'] as const)
  const input = { verdict, reason: 'statement_checked', evidenceReference: 'case-17' }
  await office.ask(machine, tenant, 'settle', (runtime) => runtime.settle(session, ref, input))
}

const announce: Act = async ({ random, office, machine, tenant }) => {
  const held = newest(random, tenant)
  const effect = held === null ? undefined : tenant.book.effects.get(nameOf(held.proposal.effect))
  const idempotencyKey = effect?.attempts.at(-1)?.idempotencyKey
  if (idempotencyKey === undefined) return
  const input = { idempotencyKey, eventId: random.pick(['event-1', 'event-2']) }
  const session = tenant.session('gate')
  await office.ask(machine, tenant, 'observe', async (runtime) => {
    return { outcome: (await runtime.observe(session, input)).outcome }
  })
}

const erase: Act = async ({ random, office, machine, tenant }) => {
  const held = newest(random, tenant)
  if (held === null) return
  const session = tenant.session('pia')
  await office.ask(machine, tenant, 'erase', async (runtime) => {
    const { outcome, reason } = await runtime.erase(session, held.proposal.ref, { reason: 'gdpr' })
    return { outcome, reason }
  })
}

const readOn: Act = async ({ random, office, machine, tenant }) => {
  const held = newest(random, tenant)
  if (held === null) return
  const session = tenant.session('fiona')
  const { ref } = held.proposal
  await office.ask(machine, tenant, 'check', async (runtime) => ({
    outcome: (await runtime.check(session, ref)).outcome,
  }))
}

const write: Act = async ({ random, tenant: { business } }) => {
  const change = random.pick(['version', 'version', 'note', 'gone'])
  if (change === 'version') business.version += 1
  else if (change === 'note') business.note = `${business.note}, called`
  else business.isGone = !business.isGone
}

const bar: Act = async ({ random, tenant: { directory } }) => {
  const person = random.pick<Person>(['fiona', 'felix', 'dora'])
  if (!directory.barred.delete(person)) directory.barred.add(person)
}

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [4, request],
  [4, approve],
  [8, execute],
  [1, revoke],
  [0.5, reject],
  [0.7, withdraw],
  [4, lookNow],
  [4, operate],
  [1, announce],
  [1, erase],
  [1, readOn],
  [0.7, write],
  [0.5, bar],
]

// Mostly the newest one: that is what people are busy with.
function newest(random: Random, { book }: Tenant): Held | null {
  const all = [...book.proposals.values()]
  if (all.length === 0) return null
  return random.chance(0.6) ? (all.at(-1) ?? null) : random.pick(all)
}
