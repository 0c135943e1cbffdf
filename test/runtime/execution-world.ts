// The world of the tests of execution: its host calls are logged, and after every test the invariants are held against it.
import { expect, onTestFinished } from 'vitest'
import type { Effect, Settlement } from '../../src/effect/effect.ts'
import { parseReasonCode } from '../../src/effect/reference.ts'
import type { Verified } from '../../src/proposal/action.ts'
import { define } from '../../src/proposal/definition/definition.ts'
import { lifecycle } from '../../src/proposal/lifecycle/lifecycle.ts'
import { effectWrite } from '../../src/runtime/effect-write.ts'
import { NOBODY, receiptOf } from '../../src/runtime/record.ts'
import type { Change } from '../../src/runtime/ports.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { CallLog, watch } from './call-log.ts'
import { dumpStore } from './dump-store.ts'
import { FreezingClock } from './freezing-clock.ts'
import { openWorld, reference, type World, type WorldOptions } from './harness.ts'
import { brokenIn, type Dump, type InvariantName } from './invariants.ts'
import type { Methods, Refund, TestAction } from './refund.ts'
import { finance1, OTHER_TENANT, requester, service, TENANT } from './sessions.ts'

export interface ExecutionWorld extends World {
  readonly log: CallLog
  /** Executes as the requester. */
  execute(ref: string): Promise<OperationResult>
  /** Reconciles as the service. */
  reconcile(ref: string): Promise<OperationResult>
  /** An approved proposal whose effect is named by the intent. */
  approved(intent: string, fields?: Readonly<Record<string, unknown>>): Promise<string>
  /** The effect behind a proposal; fails where nobody has claimed it. */
  effect(ref: string): Promise<Effect>
  receipts(ref: string): Promise<readonly string[]>
  dump(): Promise<Dump>
}

export interface ExecutionOptions extends WorldOptions {
  /** Invariants that the test itself breaks, and says why. */
  readonly except?: readonly InvariantName[]
}

/** Opens a world whose calls are logged. */
export async function openExecution(options: ExecutionOptions): Promise<ExecutionWorld> {
  const world = await openWorld(options)
  const log = new CallLog()
  const actions = new Set<TestAction>()
  const watched = (action: TestAction): TestAction => {
    if (!actions.has(action)) watch(action, { log, store: world.bareStore, clock: world.clock })
    actions.add(action)
    return action
  }
  watched(world.action)
  const execution: ExecutionWorld = {
    ...world,
    log,
    actionWith: (contract, methods) => watched(world.actionWith(contract, methods)),
    execute: (ref) => world.runtime.execute(requester, ref),
    reconcile: (ref) => world.runtime.reconcile(service, ref),
    approved: (intent, fields = {}) => approved(world.runtime, world.input({ intent, ...fields })),
    async effect(ref) {
      const { proposal } = await world.stored(ref)
      const effect = await world.bareStore.effect(proposal.effect)
      if (effect === null) throw new Error(`nobody has claimed the effect of ${ref}`)
      return effect
    },
    async receipts(ref) {
      const chain = await world.bareStore.receipts(reference(TENANT), reference(ref))
      return chain.map(({ body }) => body?.type ?? 'erased')
    },
    dump: () => dumpOf(world, log, actions),
  }
  onTestFinished(async () => {
    if (options.verified !== false) expect(brokenIn(await execution.dump(), options.except)).toEqual([])
  })
  return execution
}

/** Prepares and approves. */
export async function approved(
  runtime: ProposalRuntime,
  input: Parameters<ProposalRuntime['prepare']>[1],
): Promise<string> {
  const { proposal, commitment } = await runtime.prepare(requester, input)
  await runtime.approve(finance1, proposal, { commitment })
  return proposal
}

/** A person's verdict on the effect, stored as the operators' verb will store it. */
export async function settle(
  world: Pick<ExecutionWorld, 'effect' | 'clock' | 'bareStore'>,
  ref: string,
  verdict: Settlement['verdict'],
  secondOperator: string | null = null,
): Promise<void> {
  const effect = await world.effect(ref)
  const settlement: Settlement = {
    verdict,
    upToSequence: effect.observations.length,
    upToAttempt: effect.attempts.length,
    by: reference('user:oscar'),
    secondOperator: secondOperator === null ? null : reference(secondOperator),
    reason: parseReasonCode('statement_checked', ''),
    evidenceReference: reference('case-1'),
    at: world.clock.now(),
  }
  const settled: Effect = { ...effect, settlement, version: effect.version + 1, verifyDueAt: null }
  const answer = await world.bareStore.commit({
    changeId: `settlement of ${ref}`,
    tenant: effect.key.tenant,
    notAfter: null,
    notBefore: null,
    proposals: [],
    effect: effectWrite(settled, effect.version),
    call: null,
    approvals: [],
    receipts: [],
    events: [],
  })
  if (answer.kind !== 'committed') throw new Error('nobody else writes at this moment')
}

/** A contract under which an absence with such a proof lets the effect be sent again. */
export function resendAfter(...kinds: readonly string[]): Readonly<Record<string, unknown>> {
  return { acceptProof: { failure: [...new Set(['terminal', ...kinds])], resend: kinds }, lifetime: '1d' }
}

/** A runtime on the world's store whose process stands still from now on; `thaw` lets it notice what time it is. */
export async function frozenRuntime(world: World): Promise<{ readonly runtime: ProposalRuntime; thaw(): void }> {
  const clock = new FreezingClock(world.clock.state())
  return {
    runtime: await world.open({ clock }),
    thaw: () => clock.freezeFor(world.clock.now() - clock.now()),
  }
}

/** Another process writes the proposal: its revision grows, and nothing else changes. */
export async function touch(world: World, ref: string): Promise<void> {
  const stored = await world.stored(ref)
  const move = lifecycle.observe(stored.proposal, world.clock.now())
  if (move.kind !== 'move') throw new Error('an observation is always recorded')
  const answer = await world.bareStore.commit({
    changeId: `touch ${ref} at ${move.proposal.revision}`,
    tenant: stored.proposal.tenant,
    notAfter: null,
    notBefore: null,
    proposals: [{ kind: 'update', proposal: move.proposal }],
    effect: null,
    call: null,
    approvals: [],
    receipts: [receiptOf({ stored, move, actor: NOBODY })],
    events: [],
  })
  if (answer.kind !== 'committed') throw new Error('nobody else writes at this moment')
}

/** Lets everything that waits for no time go on. */
export async function still(world: World): Promise<void> {
  for (const _ of [1, 2, 3, 4, 5, 6]) await world.clock.advance(0)
}

/** Starts an operation, and leaves it where it can go no further. */
export async function underWay(world: World, operation: Promise<unknown>): Promise<void> {
  operation.catch(() => null)
  await still(world)
}

/** Whether a change opens an attempt, ends one, or adds an observation. */
export function opensAttempt(change: Change | null | undefined): change is Change {
  return (change?.effect?.opened ?? null) !== null
}
export function endsAttempt(change: Change | null | undefined): change is Change {
  return (change?.effect?.ended ?? null) !== null
}
export function observes(change: Change | null | undefined): change is Change {
  return (change?.effect?.observed ?? null) !== null
}

/** A call that never ends by itself. */
export function hanging(): Methods['execute'] {
  return () => new Promise(() => {})
}

/** A verifier that gives these answers one after the other, and the last one from then on. */
export function answering(...answers: readonly VerifierAnswer[]): Methods['verify'] {
  let next = 0
  return async (input) => {
    const answer = answers[Math.min(next, answers.length - 1)]
    next += 1
    if (answer === undefined) throw new Error('no answer was given')
    return answer(input)
  }
}

type Asked = Parameters<Methods['verify']>[0]
export type VerifierAnswer = (input: Asked) => Verified<Refund>
type ProofKind = Extract<Verified<Refund>, { status: 'authoritative_final_absence' }>['proof']
type Completion = Extract<Verified<Refund>, { status: 'verified_completion' }>

/** The answers of a verifier, with the echo that is asked for. */
export const says = {
  absent: ({ idempotencyKeys }: Asked): Verified<Refund> => ({
    status: 'provisional_absence',
    identity: idempotencyKeys,
  }),
  gone:
    (proof: ProofKind): VerifierAnswer =>
    ({ idempotencyKeys }) => ({ status: 'authoritative_final_absence', identity: idempotencyKeys, proof }),
  refused:
    (attempt: number): VerifierAnswer =>
    ({ idempotencyKeys }) => ({
      status: 'verified_terminal_failure',
      identity: idempotencyKeys.at(-1) ?? '',
      attempt,
      reason: 'card_expired',
    }),
  unavailable: (): Verified<Refund> => ({ status: 'target_unavailable' }),
  done: (input: Asked): Verified<Refund> => found(input),
  doneAs:
    (fields: Partial<Completion>): VerifierAnswer =>
    (input) => ({ ...found(input), ...fields }),
  undone: (input: Asked): Verified<Refund> => ({ ...found(input), status: 'reversed_after_completion' }),
} as const

function found({ idempotencyKeys, snapshot }: Asked): Completion {
  return {
    status: 'verified_completion',
    identity: idempotencyKeys.at(-1) ?? '',
    matches: 1,
    facts: { '/orderReference': snapshot.orderReference, '/amount': snapshot.amount },
    externalReference: 'rf-1',
    result: { refundId: 'rf-1' },
  }
}

async function dumpOf(world: World, log: CallLog, actions: ReadonlySet<TestAction>): Promise<Dump> {
  const booked = new Map<string, number>()
  for (const { business } of actions) {
    for (const { key } of business.booked) booked.set(key, (booked.get(key) ?? 0) + 1)
  }
  const definitions = [...actions].map((action) => define(action))
  return dumpStore(
    { store: world.bareStore, keyring: world.keyring, tenants: [TENANT, OTHER_TENANT] },
    {
      log,
      definitions,
      booked,
    },
  )
}
