// The cast of the proposal checks: a runtime with one action on a stage, the people around it, and workers that die.
import { framed, sha256, toBase64Url } from '../../../effect/hash.ts'
import type { Session } from '../../../proposal/session.ts'
import { localKeyring } from '../../../runtime/keys/local-keyring.ts'
import type { Keyring, Store } from '../../../runtime/ports.ts'
import type { OperationResult } from '../../../runtime/result.ts'
import { ProposalRuntime } from '../../../runtime/runtime.ts'
import { InterceptedStore } from '../../intercepted-store.ts'
import { SILENT, type Stage } from '../stage.ts'
import { charge, ChargeAction } from './charge-action.ts'

/** Who asks for charges. May also decide, so that only the separation of duties is in the way. */
export const requester: Session = person('rita', ['support', 'finance-manager'])
export const finance: Session = person('fiona', ['finance-manager'])
export const privacy: Session = person('petra', ['privacy-officer'])

const announcer: Session = {
  ...person('gateway', ['announcer']),
  principal: { kind: 'service', id: 'gateway' },
}

export const AMOUNT = { amount: '25.00', currency: 'EUR' } as const

/** A worker whose process may die. */
export interface Mortal {
  readonly runtime: ProposalRuntime
  /** Whether it has died. */
  readonly isDead: () => boolean
  /** Resolves when it dies; its own calls never return then. */
  readonly death: Promise<void>
}

/** Who takes part in a check. */
export class ProposalCast {
  readonly stage: Stage
  readonly action: ChargeAction
  readonly runtime: ProposalRuntime
  readonly #keyring: Keyring

  private constructor(stage: Stage, action: ChargeAction, keyring: Keyring, runtime: ProposalRuntime) {
    this.stage = stage
    this.action = action
    this.#keyring = keyring
    this.runtime = runtime
  }

  /** On the ledger of the stage and with its sound action, or with others. */
  static async open(
    stage: Stage,
    store: Store = stage.store,
    action: ChargeAction = new ChargeAction(stage.provider),
  ): Promise<ProposalCast> {
    const keyring = seededKeyring(stage.seed)
    const runtime = await openRuntime(stage, action, keyring, store)
    return new ProposalCast(stage, action, keyring, runtime)
  }

  /** One more worker on the same ledger. */
  async another(): Promise<ProposalRuntime> {
    return openRuntime(this.stage, this.action, this.#keyring, this.stage.store)
  }

  /** A worker that dies at its n-th call of the store: the call is made or not, and nobody hears the answer. */
  async mortal(nth: number, isCallMade: boolean): Promise<Mortal> {
    const { promise: death, resolve: dies } = Promise.withResolvers<void>()
    let calls = 0
    let isBorn = false
    const store = new InterceptedStore(this.stage.bareStore, async (_name, call) => {
      if (isBorn) calls += 1
      if (calls < nth) return call()
      if (calls === nth && isCallMade) await call()
      dies()
      return new Promise(() => {})
    })
    const runtime = await openRuntime(this.stage, this.action, this.#keyring, store)
    isBorn = true
    return { runtime, isDead: () => calls >= nth, death }
  }

  async prepared(intent = 'first', by: Session = requester, amount: string = AMOUNT.amount): Promise<OperationResult> {
    return this.runtime.prepare(by, {
      action: charge.type,
      command: { order: 'ORD-1001', intent, amount: { ...AMOUNT, amount } },
    })
  }

  async approved(intent = 'first'): Promise<string> {
    const { proposal, commitment } = await this.prepared(intent)
    await this.runtime.approve(finance, proposal, { commitment })
    return proposal
  }

  async execute(proposal: string, runtime: ProposalRuntime = this.runtime): Promise<OperationResult> {
    return runtime.execute(requester, proposal)
  }

  /** Passes on that the provider announced something under a key. */
  async announce(idempotencyKey: string, eventId: string): Promise<void> {
    await this.runtime.observe(announcer, { idempotencyKey, eventId })
  }

  /** Looks when the runtime says that it is worth a look, so often that every boundary has passed. */
  async settled(proposal: string, runtime: ProposalRuntime = this.runtime): Promise<OperationResult> {
    let result = await runtime.reconcile(requester, proposal)
    for (let looks = 0; looks < LOOKS_MAX && result.nextStep !== 'none'; looks += 1) {
      if (result.nextStep !== 'wait' && result.nextStep !== 'reconcile') break
      await this.stage.wait(Math.max(1, (result.waitUntil ?? 0) - this.stage.clock.now()))
      result = await runtime.reconcile(requester, proposal)
    }
    return result
  }
}

const LOOKS_MAX = 12

/** The code of a refusal, or the outcome and its reason. */
export async function answerOf(operation: Promise<OperationResult>): Promise<string> {
  try {
    const { outcome, reason } = await operation
    return reason === null ? outcome : `${outcome} ${reason}`
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'an error without a code'
  }
}

async function openRuntime(
  stage: Stage,
  action: ChargeAction,
  keyring: Keyring,
  store: Store,
): Promise<ProposalRuntime> {
  const { clock } = stage
  return ProposalRuntime.open({ store, keyring, actions: [action], clock, ids: stage.ids(), logger: SILENT })
}

function person(id: string, roles: readonly string[]): Session {
  return { tenant: 'acme', principal: { kind: 'user', id }, roles, assurance: ['authenticated_session'] }
}

// From the seed, so that the keys which the provider sees, and with them the trace, are the same in every run.
function seededKeyring(seed: number): Keyring {
  const key = (name: string): string => toBase64Url(sha256(framed(['countersign/safety-keyring/v1', name, `${seed}`])))
  return localKeyring(`reference=${key('reference')}\nk1=${key('k1')}`)
}
