// The payments that a model run is about: one contract in several profiles, each with its policy, proofs and targets.
import { z } from 'zod'
import { contract } from '../../src/proposal/contract.ts'
import { money } from '../../src/proposal/money.ts'
import type { ProofKind } from '../../src/effect/effect.ts'
import { type Person, READERS } from './cast.ts'

/** Snapshot fields whose change is no drift. */
export const IMMATERIAL = ['/note'] as const

const payment = contract({
  type: 'example.model/payment@1',
  schemas: {
    command: z.strictObject({ order: z.string(), intent: z.string(), amount: money() }),
    snapshot: z.strictObject({
      order: z.string(),
      orderVersion: z.int(),
      paid: z.int(),
      amount: money(),
      customer: z.string(),
      note: z.string(),
    }),
    preview: z.strictObject({ order: z.string(), amount: money(), alreadyPaid: z.int() }),
    result: z.strictObject({ paymentId: z.string() }),
  },
  lifetime: '10m',
  policy: { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }] },
  permissions: {
    prepare: 'support',
    read: READERS,
    list: READERS,
    check: ['finance-manager', 'operator'],
    decide: ['finance-manager', 'director'],
    execute: ['support', 'executor'],
    withdraw: ['support', 'operator'],
    reconcile: ['executor', 'operator', 'support'],
    operate: 'operator',
    observe: 'announcer',
    evidence: 'operator',
    erase: 'privacy-officer',
  },
  facts: ['/order', '/amount'],
  immaterial: IMMATERIAL,
  executeTimeout: '20s',
  inFlight: '30s',
  verifyTimeout: '10s',
  hostTimeout: '5s',
  verification: { delay: '5s', absences: 2, unavailables: 3, waitMax: '1m', slowProbe: '1h' },
  acceptProof: { failure: ['terminal', 'settled'] },
  target: { name: 'alpha', idempotent: false },
})

export type Payment = typeof payment

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** What a run may ask for, in EUR; the second is large. */
export const AMOUNTS = ['10.00', '60.00'] as const

/** The times of the contract, for the checks that must not ask the library for them. */
export const LIFETIME_MS: number = 10 * MINUTE_MS
export const EXECUTE_TIMEOUT_MS: number = 20 * SECOND_MS
export const LEASE_MS: number = 50 * SECOND_MS
export const IN_FLIGHT_MS: number = 30 * SECOND_MS
/** So far the wall clock may jump and still be believed. */
export const CLOCK_JUMP_MS: number = 5 * SECOND_MS
export const BUDGETS = { absences: 2, unavailables: 3 } as const
export const ATTEMPTS_MAX = 3

/** The accepted proofs and what the target promises, as a profile states them to the library and to the checks. */
export interface Profile {
  readonly contracts: readonly Payment[]
  readonly failure: readonly ProofKind[]
  readonly resend: readonly ProofKind[]
  /** How long the targets remember a key; null where they run one as often as it is sent. */
  readonly keyLifetimeMs: number | null
  /** Whether the action can tell its target to refuse or cancel. */
  readonly stops: boolean
  readonly approvalTtlMs: number
  /** How many approvals of which role; the amounts are those that a run may ask for. */
  readonly approvals: (amount: string) => Readonly<Record<string, number>>
}

const oneApproval = (): Readonly<Record<string, number>> => ({ 'finance-manager': 1 })

const settledAndTerminal: readonly ProofKind[] = ['terminal', 'settled']
const stopped: readonly ProofKind[] = ['fenced', 'cancelled']

/** Nothing is ever sent again, and the target does not know an idempotency key. */
const cautious: Profile = {
  contracts: [payment],
  failure: settledAndTerminal,
  resend: [],
  keyLifetimeMs: null,
  stops: false,
  approvalTtlMs: LIFETIME_MS,
  approvals: oneApproval,
}

/** An absence that is proven lets the effect be sent again, while the target remembers the key. */
const resending: Profile = {
  ...cautious,
  contracts: [
    {
      ...payment,
      acceptProof: { failure: settledAndTerminal, resend: settledAndTerminal },
      target: { name: 'alpha', idempotent: { keyLifetime: '20m' } },
    },
  ],
  resend: settledAndTerminal,
  keyLifetimeMs: 20 * MINUTE_MS,
}

/** The target takes fences and cancellations, and nothing less proves an absence. */
const stopping: Profile = {
  ...cautious,
  contracts: [
    {
      ...payment,
      acceptProof: { failure: stopped, resend: stopped },
      target: { name: 'alpha', idempotent: { keyLifetime: '24h' } },
    },
  ],
  failure: stopped,
  resend: stopped,
  keyLifetimeMs: 24 * 60 * MINUTE_MS,
  stops: true,
}

/** Two approvals that last for two minutes, a third for large amounts, and nothing beside something in doubt; fewer proofs. */
const twoPeople: Profile = {
  ...resending,
  contracts: [
    {
      ...payment,
      policy: {
        require: [
          { name: 'finance', count: 2, from: { role: 'finance-manager' } },
          {
            name: 'director',
            count: 1,
            from: { role: 'director' },
            when: { path: '/amount', atLeast: { amount: '50.00', currency: 'EUR' } },
          },
        ],
        approvalTtl: '2m',
        whileRelatedInDoubt: 'block',
      },
      acceptProof: { failure: settledAndTerminal, resend: ['terminal'] },
      target: { name: 'alpha', idempotent: { keyLifetime: '20m' } },
    },
  ],
  resend: ['terminal'],
  approvalTtlMs: 2 * MINUTE_MS,
  approvals: (amount) => ({ 'finance-manager': 2, ...(Number(amount) >= 50 ? { director: 1 } : {}) }),
}

/** Two actions that name the same effects and carry them out at two targets. */
const twoTargets: Profile = {
  ...resending,
  contracts: ['payment', 'transfer'].map((name, index) => ({
    ...payment,
    type: `example.model/${name}@1`,
    effectDomain: 'example.model/payment',
    acceptProof: { failure: settledAndTerminal, resend: settledAndTerminal },
    target: { name: index === 0 ? 'alpha' : 'beta', idempotent: { keyLifetime: '20m' as const } },
  })),
}

/** Who approves when all that is asked for is given. */
export function approversOf({ approvals }: Profile, amount: string): readonly Person[] {
  const { 'finance-manager': managers = 0, director: directors = 0 } = approvals(amount)
  return [...FINANCE.slice(0, managers), ...DIRECTORS.slice(0, directors)]
}

const FINANCE: readonly Person[] = ['fiona', 'felix']
const DIRECTORS: readonly Person[] = ['dora']

export const PROFILES = { cautious, resending, stopping, twoPeople, twoTargets } as const
export type ProfileName = keyof typeof PROFILES
