// Caller × operation × state × tenant over HTTP: the callers, what they send, and what each was answered, in words.
import { idempotencyKey } from '../../src/effect/effect-key.ts'
import type { Session } from '../../src/proposal/session.ts'
import { reference, type World } from '../runtime/harness.ts'
import {
  agent,
  elsewhere,
  finance1,
  finance2,
  operator,
  reader,
  requester,
  service,
  session,
  stranger,
  TENANT,
} from '../runtime/sessions.ts'
import { reach, type State } from '../runtime/states.ts'
import { type Example, examplesFor } from './every-endpoint.ts'
import { httpPermissions, type HttpWorld } from './world.ts'

const everyRole = [
  ...new Set(
    Object.values(httpPermissions)
      .flat()
      .filter((role) => typeof role === 'string'),
  ),
]
const withEveryRole = (one: Session): Session => ({ ...one, roles: everyRole })

/** An asterisk marks somebody who has every role at once: roles do not make up for who somebody is. */
export const callers: Readonly<Record<string, Session>> = {
  requester,
  'requester*': withEveryRole(requester),
  colleague: session('user:carl', ['support']),
  agent,
  'agent*': withEveryRole(agent),
  approver: finance1,
  'approver*': withEveryRole(finance1),
  finance: finance2,
  operator,
  executor: service,
  webhooks: session('service:webhooks', ['webhooks']),
  feed: session('service:feed', ['auditor', 'feed']),
  examiner: session('user:ella', ['auditor', 'examiner']),
  privacy: session('user:petra', ['privacy-officer', 'auditor']),
  reader,
  stranger,
  'foreigner*': elsewhere(withEveryRole(requester)),
}

/** The operations that are about one proposal, or that show it among others. */
export const operations: readonly string[] = examplesFor('x')
  .map(({ title }) => title)
  .filter((title) => title !== 'prepareProposal' && title !== 'listActions')

/** What an operation is done to. */
export interface Target {
  readonly ref: string
  readonly example: Example
}

/** A proposal of the requester's in the state, and the request of the operation about it. */
export async function targetIn(world: World, state: State, operation: string): Promise<Target> {
  const ref = await reach[state](world)
  const stored = await world.bareStore.proposal(reference(TENANT), reference(ref))
  if (stored === null) throw new Error(`${ref} is not there`)
  const commitment = stored.kind === 'live' ? stored.proposal.commitment : 'c1_'
  const approvalId = stored.kind === 'live' ? (stored.approvals[0]?.approvalId ?? 'none') : 'none'
  const { effect } = stored.kind === 'live' ? stored.proposal : stored.tombstone
  const example = examplesFor(ref, approvalId).find(({ title }) => title === operation)
  if (example === undefined) throw new Error(`there is no ${operation}`)
  const json = { ...(example.json as object) }
  if (operation === 'approveProposal' || operation === 'rejectProposal') Object.assign(json, { commitment })
  if (operation === 'observeEffect') Object.assign(json, { idempotencyKey: idempotencyKey(effect, 1) })
  return { ref, example: { ...example, json: example.json === undefined ? undefined : json } }
}

/** The status, and the outcome or code; of lists, whether the proposal is in them. */
export async function answered(world: HttpWorld, by: Session, { ref, example }: Target): Promise<string> {
  const { method, path, json } = example
  const { status, json: body, text } = await world.send(by, method, path, json === undefined ? {} : { json })
  const word = body['outcome'] ?? body['code']
  if (typeof word === 'string') return `${status} ${word}`
  return `${status} ${text.includes(ref) ? 'shown' : 'not shown'}`
}

/** Whether an answer says that nothing was done and nothing was told. */
export function isRefusal(answer: string): boolean {
  return /^40[34] /.test(answer) || answer === '200 not shown'
}

/** What a pair of operation and state answers whom: one line an answer, the callers behind it. */
export function linesOf(told: Readonly<Record<string, string>>): readonly string[] {
  const byAnswer = Map.groupBy(Object.keys(callers), (name) => told[name] ?? 'nothing')
  return [...byAnswer]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([answer, names]) => `  ${answer.padEnd(28)} ${names.join(' ')}`)
}
