// Invariants I24 and I25: what must hold of an erased proposal, wherever one looks; each sentence answered is a fault.
import type { Effect } from '../../src/effect/effect.ts'
import type { Session } from '../../src/proposal/session.ts'
import { rawRows } from '../store/sqlite-fixture.ts'
import { reference, type World } from './harness.ts'
import { residueBeside, type Secrets } from './residue.ts'
import { finance1, operator, reader, requester, TENANT } from './sessions.ts'

/** What a row of an erased proposal may hold: the tombstone, and how a store finds it. Spec: policy-and-protection 5. */
const TOMBSTONE_COLUMNS: ReadonlySet<string> = new Set([
  'tenant',
  'ref',
  'action',
  'action_name',
  'effect_domain',
  'effect_reference',
  'created_at',
  'expires_at',
  'status',
  'revision',
  'erasure',
  'reason',
  'replaced_by',
  'superseded_by',
  'settled_at',
  'evidence',
  'attempt_count',
  'erased_at',
  'met_requirements',
  'receipt_count',
  'last_hash',
  'receipt_sequence',
])

/** Everything that hangs on a proposal and may hold something of it, as queries that find nothing after erasure. */
const EMPTIED: Readonly<Record<string, (ref: string) => string>> = {
  'its key': (ref) => `select * from keys where proposal = '${ref}'`,
  'a decision': (ref) => `select * from approvals where proposal = '${ref}'`,
  'what a receipt said': (ref) => `select * from receipts where proposal = '${ref}' and coalesce(type, at, participant,
    caller, action, status, attempt, reason, external_reference, detail, runtime_version) is not null`,
  'the detail of an attempt': (ref) => `select * from attempts where proposal = '${ref}' and detail is not null`,
  'facts that were sealed for it': (ref) =>
    `select * from observations where sealed_for = '${ref}' and facts is not null`,
  'facts about its attempt': (ref) => `select observations.sequence from observations join attempts on
    attempts.tenant = observations.tenant and attempts.domain = observations.domain
    and attempts.reference = observations.reference and attempts.number between covers_from and covers_to
    where attempts.proposal = '${ref}' and facts is not null`,
  'that its files are to be cleaned': (ref) => `select * from unscrubbed where proposal = '${ref}'`,
}

/**
 * After erasure no way into the library answers with content, no byte of it or of its key is in a file, and the row that
 * is left has only what is on the list. Spec: reliability 3.2.
 */
export async function brokenI24(world: World, ref: string, secrets: Secrets): Promise<readonly string[]> {
  const path = world.path ?? ''
  const [row] = rawRows<Record<string, unknown>>(path, `select * from proposals where ref = '${ref}'`)
  const columns = Object.entries(row ?? {}).filter(([, value]) => value !== null)
  const found = [
    ...(row === undefined ? ['there is no tombstone'] : []),
    ...columns.filter(([name]) => !TOMBSTONE_COLUMNS.has(name)).map(([name]) => `the tombstone holds ${name}`),
    ...Object.entries(EMPTIED).flatMap(([what, query]) => {
      return rawRows(path, query(ref)).length === 0 ? [] : [`the database holds ${what}`]
    }),
    ...residueBeside(path, secrets).map((name) => `${name} lies in a file`),
  ]
  // Asked last, since asking about one that is not erased would change it.
  const answers = await answersAbout(world, ref)
  const told = Object.entries(secrets).filter(([, secret]) => typeof secret === 'string' && answers.includes(secret))
  return [...found, ...told.map(([name]) => `${name} is answered`)]
}

/**
 * Erasure never takes the claim away: the effect is owned as before, its attempts and evidence are there, and its request
 * key still leads to what is left. Spec: reliability 3.2, rules R16.
 */
export async function brokenI25(
  world: World,
  ref: string,
  before: { readonly effect: Effect | null; readonly requestKeys: number },
): Promise<readonly string[]> {
  const path = world.path ?? ''
  const { effect } = before
  const after = effect === null ? null : await world.bareStore.effect(effect.key)
  const keys = rawRows(path, `select * from request_keys where proposal = '${ref}'`).length
  return [
    ...(after?.owner === effect?.owner ? [] : ['the effect is not owned as before']),
    ...(JSON.stringify(after?.attempts) === JSON.stringify(effect?.attempts) ? [] : ['an attempt is another one']),
    ...(JSON.stringify(after?.observations) === JSON.stringify(effect?.observations)
      ? []
      : ['evidence is another one']),
    ...(after?.settlement?.verdict === effect?.settlement?.verdict ? [] : ['a person’s verdict is another one']),
    ...(keys === before.requestKeys ? [] : ['a request key is gone']),
  ]
}

// Whatever anybody is told about it, refusals included.
async function answersAbout(world: World, ref: string): Promise<string> {
  const { runtime } = world
  const examiner: Session = { ...operator, roles: ['operator', 'auditor', 'examiner', 'privacy-officer'] }
  const asked = [
    runtime.read(reader, ref),
    runtime.receipts(reader, ref),
    runtime.exportEvidence(examiner, ref),
    runtime.list(reader, { needsPerson: true }),
    runtime.list(reader),
    runtime.check(operator, ref),
    runtime.execute(requester, ref),
    runtime.reconcile(operator, ref),
    runtime.withdraw(requester, ref),
    runtime.approve(finance1, ref, { commitment: 'c1_' }),
    runtime.eraseDue(examiner),
    runtime.erase(examiner, ref, { reason: 'again' }),
    world.bareStore.events(reference(TENANT), 0, 200),
  ]
  const answers = await Promise.allSettled(asked)
  return JSON.stringify(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : wordsOf(answer.reason))),
  )
}

function wordsOf(error: unknown): unknown {
  return error instanceof Error ? [Object.entries(error), error.message, error.stack] : error
}
