// A verifier is asked for calls that a restore took off the record: what counts as found, as absent, and as no answer.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { HostCall } from '../../src/proposal/answers/executor-word.ts'
import { judgeLost, type LostCall } from '../../src/proposal/answers/judge-lost.ts'
import { verifiedSchema } from '../../src/proposal/answers/judge-verification.ts'
import { found, gone, K1, K2, notYet, rules } from './verification-fixtures.ts'

const schema = verifiedSchema(rules.facts, z.strictObject({ refundId: z.string() }))
const refused = { status: 'verified_terminal_failure', identity: K2, attempt: 1, reason: 'declined' }

function lost(call: HostCall): LostCall {
  return judgeLost(call, [K1, K2], schema)
}

describe('rules R15: whether a call was made before the store was put back', () => {
  it.each<[string, unknown, LostCall]>([
    ['an effect under the first key', found(), { kind: 'found', identity: K1 }],
    ['an effect under the second key', found({ identity: K2 }), { kind: 'found', identity: K2 }],
    ['an effect of other facts', found({ facts: {}, matches: 2 }), { kind: 'found', identity: K1 }],
    ['a field that is undefined', found({ occurredAt: undefined }), { kind: 'found', identity: K1 }],
    ['a reversed effect', found({ status: 'reversed_after_completion' }), { kind: 'found', identity: K1 }],
    ['a refusal', refused, { kind: 'found', identity: K2 }],
    ['an effect under a key that was not asked for', found({ identity: 'another' }), { kind: 'unclear' }],
    ['a refusal of a key that was not asked for', { ...refused, identity: 'another' }, { kind: 'unclear' }],
    ['a final absence of both keys', gone('terminal', [K1, K2]), { kind: 'absent' }],
    ['an absence of both keys, in another order', notYet([K2, K1]), { kind: 'absent' }],
    ['an absence of one key', notYet([K1]), { kind: 'unclear' }],
    ['an absence of one key, told twice', notYet([K1, K1]), { kind: 'unclear' }],
    ['an absence of a key that was not asked for', notYet([K1, 'another']), { kind: 'unclear' }],
    ['an absence of both keys and another', notYet([K1, K2, 'another']), { kind: 'unclear' }],
    ['a target that is unavailable', { status: 'target_unavailable' }, { kind: 'unclear' }],
    ['a word that no verifier has', { status: 'unknown' }, { kind: 'unclear' }],
    ['a field that no verifier has', found({ amount: 1 }), { kind: 'unclear' }],
    ['nothing', undefined, { kind: 'unclear' }],
  ])('rules R15 %s', (_, value, expected) => {
    expect(lost({ kind: 'returned', value })).toStrictEqual(expected)
  })

  it.each<[string, HostCall]>([
    ['that threw', { kind: 'threw', error: new Error('no route') }],
    ['that took too long', { kind: 'timed_out' }],
  ])('rules R15 a verifier %s says nothing', (_, call) => {
    expect(lost(call)).toStrictEqual({ kind: 'unclear' })
  })
})
