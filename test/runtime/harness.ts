// The world of the runtime's tests: a runtime on a real store, with a clock, chance, keys and an action that a test controls.
import { expect, onTestFinished } from 'vitest'
import type { EffectKey } from '../../src/effect/effect-key.ts'
import { parseReference, type Reference } from '../../src/effect/reference.ts'
import type { AnyAction } from '../../src/proposal/action.ts'
import { Refusal } from '../../src/proposal/errors.ts'
import type { Proposal } from '../../src/proposal/proposal.ts'
import type { Session } from '../../src/proposal/session.ts'
import { verifyReceipts } from '../../src/proposal/receipts/verify-receipts.ts'
import type { OnHostError } from '../../src/runtime/host-trouble.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import type { Keyring, LiveProposal, Logger, Store } from '../../src/runtime/ports.ts'
import type { PrepareInput } from '../../src/runtime/prepare/prepare.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import type { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { CommitFaults } from '../../src/testing/commit-faults.ts'
import { type Around, InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { openFresh, type StoreName } from '../store/fresh-stores.ts'
import { PatientClock } from '../store/patient-clock.ts'
import { type Methods, TestAction } from './refund.ts'
import { seededIds } from '../../src/testing/seeded-ids.ts'
import { finance1, OTHER_TENANT, requester, TENANT } from './sessions.ts'

/** The stores that cost a test little; suites about concurrency and persistence are held to `EVERY_STORE`. */
export const STORES = ['memory', 'sqlite'] as const

/** When every world begins. */
export const START: number = Date.UTC(2030, 0, 1, 12)
export const MINUTE_MS = 60_000
export const HOUR_MS: number = 60 * MINUTE_MS
/** Of the proposals of the tests' action. */
export const LIFETIME_MS: number = 10 * MINUTE_MS

export interface WorldOptions {
  readonly store: StoreName
  /** In place of fields of the action's contract. */
  readonly contract?: Readonly<Record<string, unknown>>
  /** In place of methods of the action; the optional ones exist only where they are given. */
  readonly methods?: Partial<Methods>
  readonly keyring?: Keyring
  readonly logger?: Logger
  readonly onHostError?: OnHostError
  /** Stands around every call of the store, between it and the commit faults. */
  readonly around?: Around
  readonly clock?: PatientClock
  /** Other actions beside the world's. */
  readonly actions?: readonly AnyAction[]
  readonly seed?: number
  /** Whether every chain is verified when the test is over. Default true; false where a test tampers with the file. */
  readonly verified?: boolean
}

/** What another runtime on the same store differs in. */
export interface OtherRuntime {
  readonly actions?: readonly AnyAction[]
  readonly keyring?: Keyring
  readonly seed?: number
  readonly store?: Store
  readonly clock?: VirtualClock
}

export interface World {
  readonly runtime: ProposalRuntime
  readonly action: TestAction
  readonly clock: VirtualClock
  readonly keyring: Keyring
  /** As the runtime sees it, faults and all. */
  readonly store: Store
  /** The store itself. */
  readonly bareStore: Store
  /** Faults of commits by their number, and every change that was asked for. */
  readonly faults: CommitFaults
  /** The database file; null where there is none. */
  readonly path: string | null
  /** A prepare input whose effect nobody has named before, or with an intent that is given. */
  input(fields?: Readonly<Record<string, unknown>>): PrepareInput
  prepared(by?: Session, input?: PrepareInput): Promise<OperationResult>
  approvedProposal(by?: Session): Promise<OperationResult>
  /** The stored proposal, whoever may read it. */
  stored(ref: string, tenant?: string): Promise<LiveProposal>
  /** Another runtime on the same store. */
  open(other?: OtherRuntime): Promise<ProposalRuntime>
  /** An action of its own kind, with this world's clock. */
  actionWith(contract: Readonly<Record<string, unknown>>, methods?: Partial<Methods>): TestAction
  /** Throws unless every chain and revision in the store is whole. */
  assertWhole(): Promise<void>
  close(): Promise<void>
}

/** Opens a world. It is checked and closed when the test is over. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const world = await worldOf(options)
  onTestFinished(async () => {
    try {
      if (options.verified !== false) await world.assertWhole()
    } finally {
      await world.close()
    }
  })
  return world
}

/** Opens a world that whoever asked for it checks and closes. */
export async function worldOf(options: WorldOptions): Promise<World> {
  const clock = options.clock ?? new PatientClock(START)
  const keyring = options.keyring ?? ephemeralKeyring()
  const { store: bareStore, path, close } = await openFresh(options.store, clock)
  const faults = new CommitFaults()
  const inner = options.around === undefined ? bareStore : new InterceptedStore(bareStore, options.around)
  const store = new InterceptedStore(inner, faults.around)
  const actionWith: World['actionWith'] = (contract, methods = {}) => {
    return new TestAction({ contract, methods, now: () => clock.now() })
  }
  const action = actionWith(options.contract ?? {}, options.methods)
  const open: World['open'] = (other = {}) =>
    ProposalRuntime.open({
      store: other.store ?? store,
      keyring: other.keyring ?? keyring,
      actions: other.actions ?? [action, ...(options.actions ?? [])],
      clock: other.clock ?? clock,
      ids: seededIds(other.seed ?? nextSeed()),
      ...(options.logger === undefined ? {} : { logger: options.logger }),
      ...(options.onHostError === undefined ? {} : { onHostError: options.onHostError }),
    })
  const runtime = await open(options.seed === undefined ? {} : { seed: options.seed })

  const world: World = {
    runtime,
    action,
    clock,
    keyring,
    store,
    bareStore,
    faults,
    path,
    open,
    actionWith,
    input: (fields = {}) => inputFor(action.contract.type, fields),
    prepared: (by = requester, input = inputFor(action.contract.type)) => runtime.prepare(by, input),
    async approvedProposal(by = requester) {
      const { proposal, commitment } = await world.prepared(by)
      return runtime.approve(finance1, proposal, { commitment })
    },
    async stored(ref, tenant = TENANT) {
      const found = await bareStore.proposal(reference(tenant), reference(ref))
      if (found?.kind !== 'live') throw new Error(`${ref} is not a live proposal of ${tenant}`)
      return found
    },
    assertWhole: () => assertWhole(bareStore),
    close,
  }
  return world
}

/** A command whose effect is named by its intent; without one, by none before it in this process. */
function inputFor(action: string, fields: Readonly<Record<string, unknown>> = {}): PrepareInput {
  const command = { orderReference: 'ORD-1001', intent: nextIntent(), amount: { amount: '10.00', currency: 'EUR' } }
  return { action, command: { ...command, ...fields } }
}

/** Text as a reference. */
export function reference(text: string): Reference {
  return parseReference(text, '')
}

/** The error that a promise ends in; fails where it does not. */
export async function refused(operation: Promise<unknown>): Promise<Error & Readonly<Record<string, unknown>>> {
  try {
    await operation
  } catch (error) {
    if (error instanceof Error) return error as Error & Readonly<Record<string, unknown>>
  }
  throw new Error('nothing was refused')
}

/** The code of the refusal, or the outcome with its reason: what an operation answers, in one word. */
export async function answerOf(
  operation: Promise<{ readonly outcome: string; readonly reason?: string | null }>,
): Promise<string> {
  try {
    const { outcome, reason = null } = await operation
    return reason === null ? outcome : `${outcome} ${reason}`
  } catch (error) {
    return error instanceof Refusal ? error.code : String(error)
  }
}

/** Anything in the place of a typed value, as JavaScript lets a host give it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- an assertion from unknown, in one place
export function unsound<T>(value: unknown): T {
  return value as T
}

/** Whatever has at least these fields. */
export function matching(fields: object): unknown {
  return expect.objectContaining(fields)
}

/** Whose effect a proposal is about. */
export async function effectOf(world: World, ref: string): Promise<EffectKey> {
  return (await world.stored(ref)).proposal.effect
}

const PAGE = 200

/** Every chain whole and possible, every revision with its receipt, time never going back. Spec: lifecycle 10, I12, I13. */
async function assertWhole(store: Store): Promise<void> {
  for (const tenant of [TENANT, OTHER_TENANT].map(reference)) {
    let after: Reference | undefined
    for (;;) {
      const page = await store.list({ tenant, limit: PAGE, ...(after === undefined ? {} : { after }) })
      for (const proposal of page) await assertChain(store, proposal)
      after = page.at(-1)?.ref
      if (page.length < PAGE) break
    }
  }
}

async function assertChain(store: Store, { tenant, ref, revision, status, updatedAt }: Proposal): Promise<void> {
  const stored = await store.proposal(tenant, ref)
  if (stored?.kind !== 'live') throw new Error('a list names live proposals')
  const chain = await store.receipts(tenant, ref)
  const head = { sequence: revision + 1, hash: stored.lastHash }
  expect(verifyReceipts(chain, stored.receiptSalt, head)).toMatchObject({ integrity: [], consistency: [] })
  expect(chain).toHaveLength(revision + 1)
  expect(chain.at(-1)?.body).toMatchObject({ status, at: updatedAt })
}

let seeds = 0
let intents = 0

function nextSeed(): number {
  seeds += 1
  return seeds
}

// Intents say nothing in six characters of themselves, so that no reference contains one by accident.
function nextIntent(): string {
  intents += 1
  return `damaged item, case ${intents}`
}
