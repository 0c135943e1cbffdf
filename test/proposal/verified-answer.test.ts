// Answers of a verifier that are none: malformed, thrown, too late; each is UNKNOWN and spends its own budget.
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/effect/limits.ts'
import type { HostCall } from '../../src/proposal/answers/executor-word.ts'
import { startedAt } from '../effect/builders.ts'
import { facts, found, gone, inDoubt, judge, judgeCall, K1, notYet } from './verification-fixtures.ts'

describe('threat T32: what is no answer decides nothing', () => {
  class Answer {
    readonly status = 'provisional_absence'
    readonly identity = [K1]
  }
  const absent = notYet()
  const refused = { status: 'verified_terminal_failure', identity: K1, attempt: 1 }

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['true', true],
    ['a word', 'verified_completion'],
    ['a list', [found()]],
    ['an empty object', {}],
    ['an unknown status', { status: 'confirmed' }],
    ['the word of a guarded call', { kind: 'confirmed', health: 'HEALTHY', verifiedProviderReference: K1 }],
    ['a class instance', new Answer()],
    ['a proxy', new Proxy(found(), {})],
    ['a getter that throws', Object.defineProperty({}, 'status', { enumerable: true, get: throwing })],
    ['another key', found({ confidence: 1 })],
    ['a positive without an identity', found({ identity: undefined })],
    ['a positive with a list of identities', found({ identity: [K1] })],
    ['a positive without facts', found({ facts: undefined })],
    ['a positive with a fact that was not declared', found({ facts: { ...facts, '/iban': 'x' } })],
    ['a positive with facts that are no data', found({ facts: { '/amount': new Date(0) } })],
    ['a positive with a fraction among its facts', found({ facts: { '/amount': 9.99 } })],
    ['a positive with too many facts to keep', found({ facts: { '/amount': 'x'.repeat(limits.factsBytes) } })],
    ['no matches, which is no positive', found({ matches: 0 })],
    ['half a match', found({ matches: 1.5 })],
    ['matches as a word', found({ matches: '1' })],
    ['a positive with an empty reference', found({ externalReference: '' })],
    ['a positive with another result', found({ result: { id: 're_1' } })],
    ['a positive with a date', found({ occurredAt: '2026-11-30' })],
    ['a refusal without an attempt', { ...refused, attempt: undefined }],
    ['a refusal of attempt 0', { ...refused, attempt: 0 }],
    ['a refusal with a sentence', { ...refused, reason: 'Card declined' }],
    ['an absence without identities', notYet([])],
    ['an absence with one identity that is no list', { ...absent, identity: K1 }],
    ['an absence with a proof', { ...absent, proof: 'terminal' }],
    ['a final absence without a proof', { ...gone('terminal'), proof: undefined }],
    ['a final absence with an unknown proof', gone('checked_twice')],
    ['an outage with a sentence', { status: 'target_unavailable', reason: 'Please retry' }],
  ])('threat T32 answers %s', (_, value) => {
    expect(judge(value, inDoubt)).toMatchObject({
      observation: { answer: 'target_unavailable', verdict: 'UNKNOWN', flags: [], reason: 'malformed_answer' },
      spends: 'unavailable',
      factsText: null,
      resultText: null,
    })
  })

  it.each<[string, HostCall, string]>([
    ['throws', { kind: 'threw', error: new Error('404') }, 'verifier_threw'],
    ['throws what would have been an answer', { kind: 'threw', error: gone('terminal') }, 'verifier_threw'],
    ['takes too long', { kind: 'timed_out' }, 'verify_timed_out'],
  ])('threat T32 %s', (_, call, reason) => {
    expect(judgeCall(call, inDoubt)).toMatchObject({
      observation: { answer: 'target_unavailable', verdict: 'UNKNOWN', reason },
      spends: 'unavailable',
    })
  })
})

it('properties that are undefined are as good as absent', () => {
  const answer = found({ externalReference: undefined, result: undefined, occurredAt: undefined })

  expect(judge(answer, inDoubt).observation.verdict).toBe('CONFIRMED')
  expect(judge({ ...gone('terminal'), reason: undefined }, inDoubt).observation.verdict).toBe('FAILED')
})

it('an outage needs no reason', () => {
  expect(judge({ status: 'target_unavailable' }, inDoubt).observation.reason).toBe(null)
})

it('an answer from before the attempt is judged like any other', () => {
  expect(judge(found(), inDoubt, { beganAt: startedAt - 1 }).observation.verdict).toBe('CONFIRMED')
})

function throwing(): never {
  throw new Error('a trap')
}
