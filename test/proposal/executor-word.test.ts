// The executor's word: only a typed word of failure, given in time, is FAILED; nothing that it says is completion.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { limits } from '../../src/effect/limits.ts'
import { DefinitiveFailure, NotSent } from '../../src/proposal/action.ts'
import {
  type CallFacts,
  type ExecutorWord,
  executedSchema,
  executorWord,
  type HostCall,
  hostErrorText,
} from '../../src/proposal/answers/executor-word.ts'

const result = z.strictObject({ refundId: z.string(), note: z.string().exactOptional() })
const schema = executedSchema(result)
const inTime: CallFacts = { late: false, sending: false, at: 5_000 }
const late: CallFacts = { ...inTime, late: true }
const afterSending: CallFacts = { ...inTime, sending: true }

describe('threat T31: whatever else a call returns is UNKNOWN', () => {
  const accepted = { status: 'accepted' }
  class Answer {
    readonly status = 'accepted'
  }
  class SparseAnswer {
    readonly status = 'accepted'
    readonly externalReference = undefined
  }
  const cycle: Record<string, unknown> = { status: 'accepted' }
  cycle['result'] = cycle

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['true', true],
    ['a word', 'accepted'],
    ['a number', 200],
    ['a bigint', 1n],
    ['a symbol', Symbol('accepted')],
    ['a function', () => accepted],
    ['a list', ['accepted']],
    ['an empty object', {}],
    ['a date', new Date(0)],
    ['a map', new Map([['status', 'accepted']])],
    ['an error', new DefinitiveFailure('declined')],
    ['a promise', Promise.resolve(accepted)],
    // oxlint-disable-next-line unicorn/no-thenable -- hosts do return them
    ['a thenable', { ...accepted, then: () => accepted }],
    ['no status', { status: undefined }],
    ['a null status', { status: null }],
    ['a status in capitals', { status: 'ACCEPTED' }],
    ['a status of our own that no executor may say', { status: 'verified' }],
    ['the word for not sent, which can only be thrown', { status: 'not_sent', reason: 'offline' }],
    ['a status that is inherited', Object.create(accepted)],
    ['a status that is hidden', Object.defineProperty({}, 'status', { value: 'accepted' })],
    ['a status that is computed', Object.defineProperty({}, 'status', { enumerable: true, get: () => 'accepted' })],
    ['a status that throws', Object.defineProperty({}, 'status', { enumerable: true, get: throwing })],
    ['a class instance', new Answer()],
    ['a class instance with an undefined property', new SparseAnswer()],
    ['a proxy', new Proxy(accepted, {})],
    ['a proxy of an undefined property', new Proxy({ ...accepted, externalReference: undefined }, {})],
    ['a proxy that throws', new Proxy(accepted, { ownKeys: throwing, getPrototypeOf: throwing })],
    ['a symbol key', { ...accepted, [Symbol('trace')]: 1 }],
    ['a symbol key beside an undefined property', { ...accepted, reason: undefined, [Symbol('trace')]: 1 }],
    ['a text form of its own', { ...accepted, toJSON: 'accepted' }],
    ['a prototype of its own', JSON.parse('{"status":"accepted","__proto__":{"externalReference":"ch_1"}}')],
    ['a cycle', cycle],
    ['another key', { ...accepted, idempotent: 'yes' }],
    ['the echo of another effect', { ...accepted, semanticEffectReference: 'refund:2' }],
    ['the echo of another key', { ...accepted, idempotencyKey: 'ik_other' }],
    ['an empty reference', { ...accepted, externalReference: '' }],
    ['a reference with blanks', { ...accepted, externalReference: ' ch_1' }],
    ['a reference with a control character', { ...accepted, externalReference: 'ch\u00001' }],
    ['a reference with half a character', { ...accepted, externalReference: 'ch_\uD800' }],
    ['a reference that is not NFC', { ...accepted, externalReference: 'e\u0301' }],
    ['a reference that is too long', { ...accepted, externalReference: 'c'.repeat(256) }],
    ['a numeric reference', { ...accepted, externalReference: 1 }],
    ['a null reference', { ...accepted, externalReference: null }],
    ['a null result', { ...accepted, result: null }],
    ['a result without its field', { ...accepted, result: {} }],
    ['a result of another type', { ...accepted, result: { refundId: 42 } }],
    ['a result with another key', { ...accepted, result: { refundId: 're_1', amount: '10.00' } }],
    ['a result with an undefined property', { ...accepted, result: { refundId: 're_1', note: undefined } }],
    ['a result that is a list', { ...accepted, result: [{ refundId: 're_1' }] }],
    ['a huge result', { ...accepted, result: { refundId: 'r'.repeat(limits.resultBytes) } }],
    ['a refusal without a reason', { status: 'failed_known' }],
    ['a refusal with an undefined reason', { status: 'failed_known', reason: undefined }],
    ['a refusal with a sentence', { status: 'failed_known', reason: 'Card was declined' }],
    ['a refusal with a reason that is too long', { status: 'failed_known', reason: 'r'.repeat(65) }],
    ['a refusal with a result', { status: 'failed_known', reason: 'declined', result: { refundId: 're_1' } }],
    ['a refusal with a reference', { status: 'failed_known', reason: 'declined', externalReference: 'ch_1' }],
    ['stale with a result', { status: 'stale_no_effect', result: { refundId: 're_1' } }],
    ['stale with a reference', { status: 'stale_no_effect', externalReference: 'ch_1' }],
    ['unknown without a reason', { status: 'failed_unknown' }],
  ])('threat T31 returns %s', (_, value) => {
    expect(said(returning(value))).toBe('failed_unknown UNKNOWN malformed_return')
  })
})

describe('threat T31: whatever else is thrown is UNKNOWN', () => {
  class Lookalike extends Error {
    override readonly name = 'DefinitiveFailure'
    readonly reason = 'declined'
  }
  const revoked = Proxy.revocable(new DefinitiveFailure('declined'), {})
  revoked.revoke()

  it.each<[string, unknown]>([
    ['a string', 'declined'],
    ['null', null],
    ['undefined', undefined],
    ['a number', 402],
    ['an error', new Error('declined')],
    ['an abort', new DOMException('aborted', 'AbortError')],
    ['a time-out', new DOMException('timed out', 'TimeoutError')],
    ['several errors', new AggregateError([new DefinitiveFailure('declined')])],
    ['a definite failure as the cause only', new Error('wrapped', { cause: new DefinitiveFailure('declined') })],
    ['the class and no instance of it', DefinitiveFailure],
    ['an error of the same name', new Lookalike()],
    ['plain data of the same name', { name: 'NotSent', reason: 'offline' }],
    ['a promise', Promise.resolve()],
    ['an error whose prototype throws', new Proxy(new DefinitiveFailure('declined'), { getPrototypeOf: throwing })],
    ['a revoked proxy', revoked.proxy],
    ['an error whose message throws', Object.defineProperty(new Error('x'), 'message', { get: throwing })],
    ['a definite failure whose reason throws', Object.defineProperty(declined(), 'reason', { get: throwing })],
    ['a definite failure whose properties all throw', new Proxy(declined(), { get: throwing })],
  ])('threat T31 throws %s', (_, error) => {
    expect(said(throwingError(error))).toBe('failed_unknown UNKNOWN executor_threw')
  })
})

describe('rule R4: a word of failure counts if it is typed and in time', () => {
  it.each<[string, HostCall, CallFacts, string]>([
    [
      'rule R4 refused',
      returning({ status: 'failed_known', reason: 'declined' }),
      inTime,
      'failed_known FAILED declined',
    ],
    [
      'rule R4 refused after sending',
      returning({ status: 'failed_known', reason: 'declined' }),
      afterSending,
      'failed_known FAILED declined',
    ],
    [
      'rule R4 refused late',
      returning({ status: 'failed_known', reason: 'declined' }),
      late,
      'failed_unknown UNKNOWN late_word',
    ],
    ['rule R4 stale', returning({ status: 'stale_no_effect' }), inTime, 'stale_no_effect FAILED null'],
    [
      'rule R4 stale, with a reason',
      returning({ status: 'stale_no_effect', reason: 'v8' }),
      inTime,
      'stale_no_effect FAILED v8',
    ],
    [
      'rule R4 stale, with an undefined reason',
      returning({ status: 'stale_no_effect', reason: undefined }),
      inTime,
      'stale_no_effect FAILED null',
    ],
    ['rule R4 stale late', returning({ status: 'stale_no_effect' }), late, 'failed_unknown UNKNOWN late_word'],
    ['rule R4 definitely failed', throwingError(declined()), inTime, 'failed_known FAILED declined'],
    [
      'rule R4 definitely failed after sending',
      throwingError(declined()),
      afterSending,
      'failed_known FAILED declined',
    ],
    ['trace S4 definitely failed late', throwingError(declined()), late, 'failed_unknown UNKNOWN late_word'],
    ['rule R4 not sent', throwingError(new NotSent('offline')), inTime, 'not_sent FAILED offline'],
    [
      'rule R4 not sent, after markSending',
      throwingError(new NotSent('offline')),
      afterSending,
      'failed_unknown UNKNOWN not_sent_after_sending',
    ],
    ['trace S4 not sent, late', throwingError(new NotSent('offline')), late, 'failed_unknown UNKNOWN late_word'],
    [
      'rule R4 a definite failure without a code',
      throwingError(new DefinitiveFailure('Declined!')),
      inTime,
      'failed_known FAILED definitive_failure',
    ],
    ['rule R4 not sent without a code', throwingError(new NotSent('')), inTime, 'not_sent FAILED not_sent'],
    [
      'rule R4 a code that is no text',
      throwingError(Object.assign(declined(), { reason: 402 })),
      inTime,
      'failed_known FAILED definitive_failure',
    ],
    [
      'rule R4 in doubt',
      returning({ status: 'failed_unknown', reason: 'no_answer' }),
      inTime,
      'failed_unknown UNKNOWN no_answer',
    ],
    [
      'rule R4 in doubt late',
      returning({ status: 'failed_unknown', reason: 'no_answer' }),
      late,
      'failed_unknown UNKNOWN no_answer',
    ],
    ['rule R4 nothing in time', { kind: 'timed_out' }, inTime, 'failed_unknown UNKNOWN execute_timed_out'],
    [
      'rule R4 an abort that was caught late',
      throwingError(new Error('aborted')),
      late,
      'failed_unknown UNKNOWN execute_timed_out',
    ],
  ])('%s', (_, call, facts, expected) => {
    expect(said(call, facts)).toBe(expected)
  })
})

describe('a return is accepted, which proves nothing', () => {
  it.each<[string, unknown, CallFacts]>([
    ['bare', { status: 'accepted' }, inTime],
    ['late', { status: 'accepted' }, late],
    [
      'with properties that are undefined',
      { status: 'accepted', externalReference: undefined, result: undefined },
      inTime,
    ],
    ['frozen', Object.freeze({ status: 'accepted', externalReference: undefined }), inTime],
    ['without a prototype', Object.assign(Object.create(null), { status: 'accepted' }), inTime],
  ])('%s', (_, value, facts) => {
    expect(executorWord(returning(value), facts, schema)).toEqual({
      ending: { kind: 'accepted', evidence: 'UNKNOWN', at: 5_000, reason: null, externalReference: null },
      resultText: null,
      errorText: null,
    })
  })

  it('keeps reference and result, the result as canonical text', () => {
    const numbered = executedSchema(z.strictObject({ '10': z.string(), '9': z.string(), a: z.int() }))
    const value = { status: 'accepted', externalReference: 'ch_1', result: { a: 1, '9': 'nine', '10': 'ten' } }
    const word = executorWord(returning(value), inTime, numbered)

    expect(word.ending.externalReference).toBe('ch_1')
    expect(word.resultText).toBe('{"10":"ten","9":"nine","a":1}')
  })

  it('keeps no reference and no result of anything else', () => {
    const refused = executorWord(returning({ status: 'failed_known', reason: 'declined' }), inTime, schema)

    expect(refused).toMatchObject({ ending: { externalReference: null, at: 5_000 }, resultText: null, errorText: null })
  })
})

describe('the text of an error', () => {
  it.each<[string, unknown, string | null]>([
    ['an error', new Error('no answer'), 'no answer'],
    ['a string', 'no answer', 'no answer'],
    ['nothing', null, null],
    ['a number', 42, null],
    ['an object with a message', { message: 'no answer' }, null],
    ['an error whose message is no text', Object.assign(new Error('x'), { message: 42 }), null],
    ['an error whose message throws', Object.defineProperty(new Error('x'), 'message', { get: throwing }), null],
    ['control and format characters', 'a\u0000b\u001B[31mc\u202Ed\ne', 'ab[31mcde'],
    ['half a character', 'a\uD800b', 'a\uFFFDb'],
    ['an empty text', '', ''],
  ])('%s', (_, error, text) => {
    expect(hostErrorText(error)).toBe(text)
  })

  it('is bounded, in characters and not in halves of them', () => {
    expect([...(hostErrorText('€'.repeat(600)) ?? '')]).toHaveLength(limits.hostErrorCharacters)
    expect([...(hostErrorText('😀'.repeat(600)) ?? '')]).toHaveLength(limits.hostErrorCharacters)
    expect(hostErrorText('\u0000'.repeat(9_000) + 'x')).toBe('')
  })

  it('goes with every throw, and says nothing about the evidence', () => {
    expect(executorWord(throwingError(new Error('DECLINED')), inTime, schema)).toMatchObject({ errorText: 'DECLINED' })
    expect(executorWord(throwingError(declined()), inTime, schema).errorText).toBe('The effect did not happen.')
  })
})

function returning(value: unknown): HostCall {
  return { kind: 'returned', value }
}

function throwingError(error: unknown): HostCall {
  return { kind: 'threw', error }
}

function declined(): DefinitiveFailure {
  return new DefinitiveFailure('declined')
}

function throwing(): never {
  throw new Error('a trap')
}

function said(call: HostCall, facts = inTime): string {
  const { ending }: ExecutorWord = executorWord(call, facts, schema)
  return `${ending.kind} ${ending.evidence} ${ending.reason}`
}
