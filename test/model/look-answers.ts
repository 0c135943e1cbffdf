// What a verifier answers: the truth as the target knows it, or one of the ways in which a read goes wrong.
import type { Verified, Verify } from '../../src/proposal/action.ts'
import type { Payment } from './payment.ts'
import type { LookScript } from './scripts.ts'
import type { Booking, Target } from './target.ts'

type Answer = Verified<Payment>

const LAG_MS = 20_000
const LONG_BEFORE_MS = 3_600_000

/** The answer of one read; null for a read that fails with an error. */
export function answerLook(script: LookScript, input: Verify<Payment>, target: Target): Answer | null {
  const { idempotencyKeys: keys, semanticEffectReference: reference } = input
  const found = target.find(keys)
  switch (script.kind) {
    case 'unavailable':
      return { status: 'target_unavailable', reason: 'maintenance' }
    case 'threw':
    case 'hanging':
      return null
    case 'garbage':
      // What a host returns is not checked by a compiler.
      return { status: 'verified_completion', matches: 'one' } as object as Answer
    case 'foreign_identity':
      return { ...completion(found[0] ?? imagined(input), input), identity: 'ik_of_somebody_else' }
    case 'false_completion':
      if (found.length === 0) target.untrueOf.add(reference)
      return completion(found[0] ?? imagined(input), input)
    case 'false_terminal':
      if (target.mayHold(keys)) {
        target.liedAbout.add(reference)
        target.untrueOf.add(reference)
      }
      return { status: 'authoritative_final_absence', identity: keys, proof: 'terminal' }
    case 'lagging':
      return told(target.find(keys, LAG_MS), input) ?? { status: 'provisional_absence', identity: keys }
    case 'fact_missing':
    case 'other_amount':
    case 'two_matches':
    case 'reversed':
    case 'predating':
      return found[0] === undefined
        ? { status: 'provisional_absence', identity: keys }
        : distorted(script.kind, completion(found[0], input))
    case 'provisional':
    case 'slow':
      return told(found, input) ?? { status: 'provisional_absence', identity: keys }
    case 'final':
      return told(found, input) ?? finalAbsence(script.proof, input, target)
    case 'terminal_failure':
      return told(found, input) ?? terminalFailure(input, target)
  }
}

function told(found: readonly Booking[], input: Verify<Payment>): Answer | null {
  const [first] = found
  return first === undefined ? null : { ...completion(first, input), matches: found.length }
}

// A target that calls something terminal sees to it that it is.
function finalAbsence(
  proof: 'terminal' | 'cancelled' | 'fenced' | 'key_consumed' | 'settled',
  input: Verify<Payment>,
  target: Target,
): Answer {
  if (proof === 'terminal') target.refuse(input.idempotencyKeys)
  return { status: 'authoritative_final_absence', identity: input.idempotencyKeys, proof }
}

function terminalFailure({ idempotencyKeys: keys, covers }: Verify<Payment>, target: Target): Answer {
  const identity = keys.at(-1) ?? ''
  target.refuse([identity])
  return { status: 'verified_terminal_failure', identity, attempt: covers.to, reason: 'refused_by_bank' }
}

type Completion = Extract<Answer, { readonly status: 'verified_completion' }>

function completion({ id, request, at }: Booking, _input: Verify<Payment>): Completion {
  return {
    status: 'verified_completion',
    identity: request.key,
    matches: 1,
    facts: { '/order': request.order, '/amount': request.amount },
    externalReference: id,
    result: { paymentId: id },
    occurredAt: at,
  }
}

function distorted(
  kind: 'fact_missing' | 'other_amount' | 'two_matches' | 'reversed' | 'predating',
  found: Completion,
): Answer {
  switch (kind) {
    case 'fact_missing':
      // What a host returns is not checked by a compiler.
      return { ...found, facts: { '/order': found.facts['/order'] } } as object as Answer
    case 'other_amount':
      return { ...found, facts: { ...found.facts, '/amount': { amount: '0.01', currency: 'EUR' } } }
    case 'two_matches':
      return { ...found, matches: 2 }
    case 'reversed':
      return { ...found, status: 'reversed_after_completion' }
    case 'predating':
      return { ...found, occurredAt: (found.occurredAt ?? 0) - LONG_BEFORE_MS }
  }
}

// What a lying target would have booked.
function imagined({ idempotencyKeys: keys, semanticEffectReference, snapshot, epoch }: Verify<Payment>): Booking {
  const { order, amount } = snapshot
  const request = { key: keys[0] ?? '', reference: semanticEffectReference, order, amount, precondition: '', epoch }
  return { id: 'pay-imagined', request, at: Number.MAX_SAFE_INTEGER, atMs: 0, isDuplicate: false }
}
