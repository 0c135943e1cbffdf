// The checks of proposals are themselves checked: actions and ledgers with one bug each, and the checks that find it.
import { describe, expect, it } from 'vitest'
import {
  DefinitiveFailure,
  type Execute,
  type Executed,
  type Resolve,
  type Resolved,
  type Verified,
  type Verify,
} from '../../../src/proposal/action.ts'
import type { Store } from '../../../src/runtime/ports.ts'
import { memoryStore } from '../../../src/store/memory-store.ts'
import { commitStep } from '../../../src/testing/commit-faults.ts'
import { InterceptedStore } from '../../../src/testing/intercepted-store.ts'
import { ChargeAction, type ChargeContract } from '../../../src/testing/safety/proposals/charge-action.ts'
import { ProposalCast } from '../../../src/testing/safety/proposals/proposal-cast.ts'
import { proposalScenarios } from '../../../src/testing/safety/proposals/proposal-suite.ts'
import { runScenarios } from '../../../src/testing/safety/scenario.ts'
import { delegating } from '../seeded-bugs/delegating-store.ts'
import { writeBugs } from '../seeded-bugs/store-writes.ts'

class Unmoved extends ChargeAction {
  override async resolve(input: Resolve<ChargeContract>): Promise<Resolved<ChargeContract>> {
    return { ...(await super.resolve(input)), current: input.snapshot }
  }
}

class Careless extends ChargeAction {
  override async execute(input: Execute<ChargeContract>): Promise<Executed<ChargeContract>> {
    return super.execute({ ...input, precondition: `order-version:${this.business.orderVersion}` })
  }
}

class Permissive extends ChargeAction {
  override can(): boolean {
    return true
  }
}

class Certain extends ChargeAction {
  override async execute(input: Execute<ChargeContract>): Promise<Executed<ChargeContract>> {
    return super.execute(input).catch(() => {
      throw new DefinitiveFailure('timeout')
    })
  }
}

class Eager extends ChargeAction {
  override async execute(input: Execute<ChargeContract>): Promise<Executed<ChargeContract>> {
    return super.execute(input).catch(async () => super.execute(input))
  }
}

class Blind extends ChargeAction {
  override async verify({ idempotencyKeys }: Verify<ChargeContract>): Promise<Verified<ChargeContract>> {
    return { status: 'provisional_absence', identity: idempotencyKeys }
  }
}

/** Acknowledges admissions that it does not keep. */
function losing(store: Store): Store {
  return new InterceptedStore(store, async <T>(_name: keyof Store, call: () => Promise<T>, change: unknown) => {
    if (change === null || commitStep(change as Parameters<Store['commit']>[0]) !== 'start_attempt') return call()
    return { kind: 'committed', at: 0 } as T
  })
}

const uniqueKey = writeBugs.find(({ code }) => code === 'claim_not_unique')?.subject ?? (() => ({}))

interface Bug {
  readonly bug: string
  readonly action?: typeof ChargeAction
  readonly store?: (store: Store) => Store
  /** All that find it, and no other. */
  readonly found: readonly string[]
}

/** Every check that goes on after an admission. */
const afterAdmission = [
  'executor_throws',
  'invalid_return',
  'late_result_of_fenced_worker',
  'resend_after_final_absence',
  'no_resend_while_in_flight',
  'key_lifetime_over',
  'erasure_while_in_doubt',
  'erased_effect_still_barred',
  'worker_killed_at_each_step',
]

const bugs: readonly Bug[] = [
  {
    bug: 'an action that never sees the state move',
    action: Unmoved,
    found: ['drift_refused', 'drift_with_replacement'],
  },
  { bug: 'an executor that does not enforce the precondition', action: Careless, found: ['final_race_lost'] },
  { bug: 'an action that lets everybody do everything', action: Permissive, found: ['approvers_right_revoked'] },
  {
    bug: 'an executor that calls every error a definitive failure',
    action: Certain,
    found: ['executor_throws', 'resend_after_final_absence', 'no_resend_while_in_flight', 'erasure_while_in_doubt'],
  },
  {
    bug: 'an executor that tries again by itself',
    action: Eager,
    found: [
      'executor_throws',
      'resend_after_final_absence',
      'no_resend_while_in_flight',
      'key_lifetime_over',
      'erasure_while_in_doubt',
    ],
  },
  {
    bug: 'a verifier that never finds anything',
    action: Blind,
    found: ['competing_proposals', ...afterAdmission],
  },
  {
    bug: 'a ledger that ignores the unique key of effects',
    store: (store) => delegating(store, uniqueKey(store)),
    found: ['competing_proposals'],
  },
  {
    bug: 'a ledger that acknowledges admissions that it does not keep',
    store: losing,
    found: ['final_race_lost', 'competing_proposals', ...afterAdmission],
  },
]

describe('the checks of proposals find', () => {
  it.each(bugs)('$bug', async ({ action: Faulty = ChargeAction, store = (one) => one, found }) => {
    const checks = await runScenarios(proposalScenarios, {
      seed: 1,
      openStore: (clock) => store(memoryStore({ clock })),
      cast: async (stage) => ProposalCast.open(stage, stage.store, new Faulty(stage.provider)),
    })

    const failing = checks.filter(({ state }) => state === 'failed').map(({ id }) => id)
    expect(failing).toEqual(found)
  })
})
