// One look by a verifier, with everything filled in: the definition, what was approved, what was asked, and when.
import { z } from 'zod'
import type { JsonValue } from '../../src/effect/canonical-json.ts'
import type { Coverage, Effect } from '../../src/effect/effect.ts'
import { withObserved } from '../../src/effect/effect-changes.ts'
import type { IdempotencyKey } from '../../src/effect/effect-key.ts'
import type { Reference } from '../../src/effect/reference.ts'
import type { Definition } from '../../src/proposal/definition/definition.ts'
import type { HostCall } from '../../src/proposal/answers/executor-word.ts'
import {
  type Judged,
  type JudgedAgainst,
  judgeVerification,
  verifiedSchema,
} from '../../src/proposal/answers/judge-verification.ts'
import { attempt, leaseUntil } from '../effect/builders.ts'
import { claimed, P1 } from './lifecycle/sample.ts'

const DAY_MS = 24 * 60 * 60_000

/** What verification and resend need of a definition: all defaults, and a target that remembers keys for a day. */
export const rules: Pick<
  Definition,
  'acceptProof' | 'facts' | 'inFlightMs' | 'target' | 'attemptsMax' | 'executeTimeoutMs'
> = {
  acceptProof: { failure: ['terminal', 'cancelled', 'fenced'], resend: [] },
  facts: ['/amount'],
  inFlightMs: 60_000,
  target: { name: 'psp', keyLifetimeMs: DAY_MS },
  attemptsMax: 3,
  executeTimeoutMs: 30_000,
}

/** When an absence of the first attempt may be final: its lease, and the time in flight. */
export const boundary: number = leaseUntil + rules.inFlightMs

export const K1: IdempotencyKey = attempt().idempotencyKey
export const K2: IdempotencyKey = attempt({ generation: 2 }).idempotencyKey

/** What was approved, and the fact of it that the target must show. */
export const snapshot: JsonValue = { amount: { amount: '10.00', currency: 'EUR' }, orderVersion: 7 }
export const facts = { '/amount': { amount: '10.00', currency: 'EUR' } } as const
export const otherFacts = { '/amount': { amount: '40.00', currency: 'EUR' } } as const

/** The verifier found one effect under the first key, as it was approved. */
export function found(fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { status: 'verified_completion', identity: K1, matches: 1, facts, ...fields }
}

/** The verifier found nothing, and never will. */
export function gone(proof: string, identity: readonly string[] = [K1]): Readonly<Record<string, unknown>> {
  return { status: 'authoritative_final_absence', identity, proof }
}

/** Nothing is there yet. */
export function notYet(identity: readonly string[] = [K1]): Readonly<Record<string, unknown>> {
  return { status: 'provisional_absence', identity }
}

export interface Look {
  readonly beganAt: number
  readonly endedAt: number
  readonly covers: Coverage
  readonly definition: JudgedAgainst['definition']
  readonly contents: ReadonlyMap<Reference, JsonValue>
  readonly compareFacts: JudgedAgainst['compareFacts']
  readonly isClockSettled: boolean
}

/** Judges an answer about the effect, read at the boundary unless it is said otherwise. */
export function judge(answer: unknown, effect: Effect, look: Partial<Look> = {}): Judged {
  return judgeCall({ kind: 'returned', value: answer }, effect, look)
}

export function judgeCall(call: HostCall, effect: Effect, look: Partial<Look> = {}): Judged {
  const { beganAt = boundary, endedAt = beganAt + 100, definition = rules } = look
  const own = effect.attempts.filter(({ target }) => target === definition.target.name)
  const { covers = { from: own[0]?.number ?? 1, to: own.at(-1)?.number ?? 1 } } = look
  const keys = [...new Set(own.map(({ idempotencyKey }) => idempotencyKey))]
  return judgeVerification(
    call,
    { keys, covers, beganAt, endedAt },
    {
      definition,
      schema: verifiedSchema(definition.facts, z.strictObject({ refundId: z.string() })),
      effect,
      contents: look.contents ?? new Map([[P1, snapshot]]),
      compareFacts: look.compareFacts ?? null,
      isClockSettled: look.isClockSettled ?? true,
    },
  )
}

/** The effect with the answer in it. */
export function seen(effect: Effect, answer: unknown, look: Partial<Look> = {}): Effect {
  return withObserved(effect, judge(answer, effect, look).observation)
}

/** An effect whose only attempt nobody reported on. */
export const inDoubt: Effect = claimed([attempt()])
