// The bundled safety suites: what they print, that a seed repeats them, and that they find fault with what is at fault.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { VerificationResult } from '../../../src/effect/answer.ts'
import { DefinitiveFailure } from '../../../src/proposal/action.ts'
import type { Store } from '../../../src/runtime/ports.ts'
import { memoryStore } from '../../../src/store/memory-store.ts'
import { sqliteStore } from '../../../src/store/sqlite-store.ts'
import { commitStep } from '../../../src/testing/commit-faults.ts'
import { InterceptedStore } from '../../../src/testing/intercepted-store.ts'
import { PaymentVerifier } from '../../../src/testing/payments/payment-verifier.ts'
import { directPaymentAdapter, type PaymentAdapter } from '../../../src/testing/safety/calls/call-cast.ts'
import { paymentSafetySuite } from '../../../src/testing/safety/calls/payment-suite.ts'
import { proposalSafetySuite } from '../../../src/testing/safety/proposals/proposal-suite.ts'
import { safetyReportJson } from '../../../src/testing/safety/report-json.ts'
import { safetyReportText } from '../../../src/testing/safety/report-text.ts'
import type { SafetyReport } from '../../../src/testing/safety/safety-report.ts'
import type { OpenStore } from '../../../src/testing/safety/stage.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-suites-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

let files = 0
const inMemory: OpenStore = (clock) => memoryStore({ clock })
const ledgers: Readonly<Record<string, OpenStore>> = {
  memory: inMemory,
  sqlite: async (clock) => {
    files += 1
    return sqliteStore(join(folder, `${files}.db`), { clock })
  },
}

const twelve = [
  'Normal success',
  'Explicit pre-side-effect failure',
  'Replay safety',
  'Concurrent duplicate safety',
  'Same-key/body conflict',
  'Timeout-before-commit recovery',
  'Timeout-after-commit recovery',
  'Unknown auto-retry protection',
  'Verifier unavailable handling',
  'Unhealthy false-negative handling',
  'wrong-verification-identity',
  'unknown-evidence-erasure',
]

describe.each(Object.entries(ledgers))('on %s', (_, openStore) => {
  it('harness H2: the twelve checks pass, by their names and in their order, in 35 columns', async () => {
    const report = await paymentSafetySuite({ openStore, seed: 1 })

    expect(safetyReportText(report)).toBe(
      [
        'Timeout-after-commit comparison',
        '  Naive retry: calls=2, charges=2, total=5000 cents',
        '  Countersign: execution=UNKNOWN, verification=CONFIRMED, final=CONFIRMED, calls=1, charges=1',
        '',
        'Action: charge_customer',
        '',
        ...twelve.map((title) => `${title.padEnd(35)}PASS`),
        '',
        'Final classification:',
        'SAFE UNDER TESTED CONDITIONS',
      ].join('\n'),
    )
  })

  it('the checks of proposals are added to the twelve, and pass', async () => {
    const report = await proposalSafetySuite({ openStore, seed: 1 })

    expect(failing(report)).toEqual([])
    expect(report.checks.slice(0, twelve.length).map(({ title }) => title)).toEqual(twelve)
    expect(report.checks.slice(twelve.length).map(({ title }) => title)).toEqual([
      'Drift refused',
      'Drift with replacement',
      'Final race lost',
      'Competing proposals',
      'Approval expired before admission',
      "Approver's right revoked",
      'Self-approval',
      'Approval of other content',
      'Executor throws',
      'Invalid return',
      'Late result of a fenced worker',
      'Resend only after proven final absence',
      'No resend while it may still land',
      'Key lifetime over',
      'Erasure while in doubt deferred',
      'Erased effect still barred',
      'Worker killed at each step',
    ])
  })
})

it('a ledger that takes real time is given it: the clock of the suite stands still meanwhile', async () => {
  const openStore: OpenStore = (clock) =>
    new InterceptedStore(memoryStore({ clock }), async (_name, call) => {
      await setTimeout(2)
      return call()
    })

  const [slow, quick] = await Promise.all([
    paymentSafetySuite({ openStore, seed: 1 }),
    paymentSafetySuite({ openStore: inMemory, seed: 1 }),
  ])

  expect(failing(slow)).toEqual([])
  expect(slow.checks.map(({ observed }) => observed)).toEqual(quick.checks.map(({ observed }) => observed))
})

describe('a seed', () => {
  it.each([0, 2, 3, Number.MAX_SAFE_INTEGER])('%d passes as well', async (seed) => {
    expect(failing(await proposalSafetySuite({ openStore: inMemory, seed }))).toEqual([])
  })

  it('repeats a run to the byte, and another one runs otherwise', async () => {
    const [first, second, other] = await Promise.all(
      [7, 7, 8].map(async (seed) => safetyReportJson(await proposalSafetySuite({ openStore: inMemory, seed }))),
    )

    expect(JSON.stringify(first)).toBe(JSON.stringify(second))
    expect(first?.checks.map(({ traceHash }) => traceHash)).not.toEqual(other?.checks.map(({ traceHash }) => traceHash))
  })
})

/** An adapter or a ledger with one bug, and the checks that must find it. */
interface Bug {
  readonly bug: string
  readonly adapter?: Partial<PaymentAdapter>
  readonly openStore?: OpenStore
  readonly found: readonly string[] | 'all'
}

const charge: PaymentAdapter['charge'] = async (provider, call) => directPaymentAdapter.charge(provider, call)

const bugs: readonly Bug[] = [
  {
    bug: 'tries again under the hood after a time-out',
    adapter: { charge: async (provider, call) => charge(provider, call).catch(async () => charge(provider, call)) },
    found: [
      'explicit_pre_side_effect_failure',
      'timeout_before_commit_recovery',
      'timeout_after_commit_recovery',
      'unknown_auto_retry_protection',
      'verifier_unavailable_handling',
      'unhealthy_false_negative_handling',
      'wrong_verification_identity',
      'unknown_evidence_erasure',
    ],
  },
  {
    bug: 'charges twice for each call',
    adapter: {
      async charge(provider, call) {
        await charge(provider, call)
        return charge(provider, call)
      },
    },
    found: ['normal_success', 'replay_safety', 'concurrent_duplicate_safety', 'same_key_body_conflict'],
  },
  {
    bug: 'takes a refusal for any other error',
    adapter: {
      charge: async (provider, call) =>
        charge(provider, call).catch((error: unknown) => {
          throw error instanceof DefinitiveFailure ? new Error('refused') : error
        }),
    },
    found: ['explicit_pre_side_effect_failure'],
  },
  {
    bug: 'calls every time-out a definitive failure',
    adapter: {
      charge: async (provider, call) =>
        charge(provider, call).catch(() => {
          throw new DefinitiveFailure('timeout')
        }),
    },
    found: [
      'timeout_before_commit_recovery',
      'timeout_after_commit_recovery',
      'unknown_auto_retry_protection',
      'verifier_unavailable_handling',
      'unhealthy_false_negative_handling',
      'wrong_verification_identity',
      'unknown_evidence_erasure',
    ],
  },
  {
    bug: 'swallows errors and returns',
    adapter: { charge: async (provider, call) => charge(provider, call).catch(() => null) },
    found: [
      'explicit_pre_side_effect_failure',
      'timeout_before_commit_recovery',
      'unknown_auto_retry_protection',
      'unknown_evidence_erasure',
    ],
  },
  {
    bug: 'never asks the provider and says that it charged',
    adapter: { charge: async () => ({ status: 'booked' }) },
    found: 'all',
  },
  {
    bug: 'has a verifier that believes every empty answer',
    adapter: {
      verifier: (provider) => ({
        async verify({ providerReference: verifiedProviderReference }) {
          const { charges } = await provider.lookUp(verifiedProviderReference ?? '')
          return charges.length > 0
            ? VerificationResult.confirmed({ verifiedProviderReference })
            : VerificationResult.absent({ verifiedProviderReference, retrySafe: true })
        },
      }),
    },
    found: ['timeout_before_commit_recovery', 'unhealthy_false_negative_handling', 'wrong_verification_identity'],
  },
  {
    bug: 'has a verifier that does not ask what is on its way',
    adapter: {
      verifier: (provider) => async (receipt, context) => {
        const { providerReference: verifiedProviderReference } = receipt
        const answer = await new PaymentVerifier(provider).verify(receipt, context)
        return answer.kind === 'absent' && answer.health === 'HEALTHY'
          ? VerificationResult.absent({ verifiedProviderReference, retrySafe: true, coversAttempts: 'all' })
          : answer
      },
    },
    found: ['timeout_before_commit_recovery'],
  },
  {
    bug: 'charges another amount than was asked for',
    adapter: {
      charge: async (provider, call) =>
        charge(provider, { ...call, request: { ...call.request, amountCents: call.request.amountCents * 100 } }),
    },
    found: ['normal_success'],
  },
  {
    bug: 'charges under a reference of its own',
    adapter: {
      charge: async (provider, call) => charge(provider, { ...call, providerReference: call.attemptToken }),
    },
    found: [
      'normal_success',
      'timeout_before_commit_recovery',
      'timeout_after_commit_recovery',
      'unhealthy_false_negative_handling',
    ],
  },
  {
    bug: 'has a verifier that echoes what it was asked and not what it saw',
    adapter: {
      verifier: (provider) => async (receipt, context) => {
        const { providerReference } = receipt
        const answer = await new PaymentVerifier(provider).verify(receipt, context)
        return answer.kind === 'confirmed'
          ? VerificationResult.confirmed({ verifiedProviderReference: providerReference })
          : answer
      },
    },
    found: ['wrong_verification_identity'],
  },
  {
    bug: 'has a verifier that always confirms',
    adapter: {
      verifier:
        () =>
        ({ providerReference: verifiedProviderReference }) => {
          return VerificationResult.confirmed({ verifiedProviderReference })
        },
    },
    found: [
      'timeout_before_commit_recovery',
      'timeout_after_commit_recovery',
      'verifier_unavailable_handling',
      'unhealthy_false_negative_handling',
      'wrong_verification_identity',
    ],
  },
  {
    bug: 'has a verifier that says that an outage is an absence',
    adapter: {
      verifier: (provider) => async (receipt, context) => {
        const { providerReference: verifiedProviderReference } = receipt
        return new PaymentVerifier(provider)
          .verify(receipt, context)
          .catch(() => VerificationResult.absent({ verifiedProviderReference, retrySafe: true }))
      },
    },
    found: ['verifier_unavailable_handling'],
  },
  {
    bug: 'has a ledger that takes every claim',
    openStore: (clock) => careless(() => memoryStore({ clock })),
    found: ['concurrent_duplicate_safety'],
  },
  {
    bug: 'has a ledger that forgets what is completed',
    openStore: (clock) => forgetful(() => memoryStore({ clock })),
    found: [
      'replay_safety',
      'same_key_body_conflict',
      'timeout_before_commit_recovery',
      'unknown_auto_retry_protection',
      'verifier_unavailable_handling',
      'unhealthy_false_negative_handling',
    ],
  },
]

describe('a suite finds an adapter that', () => {
  it.each(bugs)('$bug', async ({ adapter = {}, openStore = inMemory, found }) => {
    const report = await paymentSafetySuite({ openStore, adapter: { ...directPaymentAdapter, ...adapter }, seed: 1 })

    expect(report.isSafe).toBe(false)
    expect(failing(report)).toEqual(found === 'all' ? report.checks.map(({ id }) => id) : found)
  })
})

function failing({ checks }: SafetyReport): readonly string[] {
  return checks.filter(({ state }) => state !== 'passed').map(({ id }) => id)
}

/** A store without a unique claim: each one begins a ledger of its own. */
function careless(open: () => Store): Store {
  const ledger = new Ledger(open)
  return new InterceptedStore(ledger.store, async (_name, call, change) => {
    if (change !== null && commitStep(change) === 'claim') ledger.renew()
    return call()
  })
}

/** A store that loses a call once it is completed and read. */
function forgetful(open: () => Store): Store {
  const ledger = new Ledger(open)
  return new InterceptedStore(ledger.store, async (name, call) => {
    const answer = await call()
    const isCompleted = name === 'call' && JSON.stringify(answer)?.includes('"COMPLETED"')
    if (!isCompleted) return answer
    ledger.renew()
    return call()
  })
}

/** A store behind which there may be another one at any time. */
class Ledger {
  readonly store: Store
  readonly #open: () => Store
  #current: Store

  constructor(open: () => Store) {
    this.#open = open
    this.#current = open()
    this.store = new Proxy(this.#current, {
      get:
        (_, name) =>
        (...input: readonly unknown[]): unknown => {
          const method: unknown = Reflect.get(this.#current, name)
          if (typeof method !== 'function') throw new TypeError('a store has methods only')
          return Reflect.apply(method, this.#current, input)
        },
    })
  }

  renew(): void {
    this.#current = this.#open()
  }
}
