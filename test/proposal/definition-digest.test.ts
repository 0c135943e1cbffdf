// The digest of a definition: what an approval depends on changes it, and what it does not depend on leaves it.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { noApproval } from '../../src/proposal/policy/policy.ts'
import { money } from '../../src/proposal/money.ts'
import { type Changes, refund, register } from './refund.ts'

const base = {
  facts: ['/amount', '/orderReference'],
  acceptProof: { failure: ['terminal', 'settled'], resend: ['terminal', 'settled'] },
  immaterial: ['/note', '/customer', { path: '/tags', as: 'set' }],
}
const digest = (contract: Changes['contract']): string => register({ contract: { ...base, ...contract } }).digest
const withSnapshot = (fields: z.ZodRawShape): Changes['contract'] => ({
  schemas: { ...refund.schemas, snapshot: refund.schemas.snapshot.extend(fields) },
})
const withResult = (result: z.ZodObject): Changes['contract'] => ({ schemas: { ...refund.schemas, result } })

describe('the digest', () => {
  it('is the same for the same definition, in every process and version', () => {
    expect(register().digest).toBe('23d47760c73ca31af885b3c8d6bd3479d47ccd3309b9656cc669c9f492e67463')
  })

  it.each<[string, Changes['contract']]>([
    ['the order of facts', { facts: base.facts.toReversed() }],
    ['the order of immaterial paths', { immaterial: base.immaterial.toReversed() }],
    ['the order of proofs', { acceptProof: { failure: ['settled', 'terminal'], resend: ['settled', 'terminal'] } }],
    [
      'the order of fields in the policy',
      { policy: { require: [{ from: { role: 'finance-manager' }, count: 1, name: 'finance' }] } },
    ],
    ['a default that is written out', { revision: 1, effectDomain: 'example.payments/refund' }],
    ['the limits of time', { lifetime: '1h', executeTimeout: '5s', inFlight: '5s', verification: { delay: '1s' } }],
    ['the number of attempts', { attemptsMax: 1 }],
    ['permissions, which are asked for anew', { permissions: {} }],
    ['the versions that it verifies', { verifies: [1] }],
    ['who begins its execution', { execution: 'when_approved' }],
    ['how long it is kept', { retention: { settled: '365d', closed: '30d' } }],
    ['former domains', { formerDomains: ['old'] }],
    ['a description in a schema', withSnapshot({ orderReference: z.string().describe('The order.') })],
    ['a tighter bound in a schema', withSnapshot({ orderReference: z.string().max(20) })],
    ['the order of fields in a schema', withResult(z.strictObject({ refundId: z.string() }))],
    [
      'nullable written as a union with null',
      withSnapshot({ customer: z.union([z.null(), refund.schemas.snapshot.shape.customer.unwrap()]) }),
    ],
  ])('stays with %s', (_title, contract) => {
    expect(digest(contract)).toBe(digest({}))
  })

  it('stays with the order of sets', () => {
    const lists = withSnapshot({ lines: z.array(z.string()) })
    const sets = ['/tags', '/lines'].map((path) => ({ path, as: 'set' }))

    expect(digest({ ...lists, immaterial: sets })).toBe(digest({ ...lists, immaterial: sets.toReversed() }))
  })

  const changes: readonly (readonly [string, Changes['contract']])[] = [
    ['the type', { type: 'example.payments/refund@4' }],
    ['the revision', { revision: 2 }],
    ['the effect domain', { effectDomain: 'refunds' }],
    ['the facts', { facts: ['/amount'] }],
    ['the immaterial paths', { immaterial: ['/note', { path: '/tags', as: 'set' }] }],
    ['a set', { immaterial: ['/note', '/customer'] }],
    ['a set that becomes immaterial', { immaterial: ['/note', '/customer', '/tags'] }],
    [
      'the proofs of failure',
      { acceptProof: { ...base.acceptProof, failure: ['terminal', 'settled', 'key_consumed'] } },
    ],
    ['the proofs for a resend', { acceptProof: { ...base.acceptProof, resend: ['terminal'] } }],
    ['the name of the target', { target: { ...refund.target, name: 'bank' } }],
    ['the lifetime of its keys', { target: { ...refund.target, idempotent: { keyLifetime: '2d' } } }],
    ['the policy', { policy: { require: [{ name: 'finance', count: 2, from: { role: 'finance-manager' } }] } }],
    ['no approval', { policy: noApproval('x') }],
    ['the reason for no approval', { policy: noApproval('y') }],
    ['a policy function', { policy: () => noApproval('x') }],
    ['the text of a policy function', { policy: () => noApproval('y') }],
    ['a field of the snapshot', withSnapshot({ more: z.string() })],
    ['an optional field', withSnapshot({ more: z.exactOptional(z.string()) })],
    ['a nullable field', withSnapshot({ more: z.string().nullable() })],
    ['a number', withSnapshot({ more: z.int() })],
    ['a truth value', withSnapshot({ more: z.boolean() })],
    ['a list', withSnapshot({ more: z.array(z.string()) })],
    ['money', withSnapshot({ more: money() })],
    ['what looks like money', withSnapshot({ more: z.strictObject({ amount: z.string(), currency: z.string() }) })],
    ['the literal 1', withSnapshot({ more: z.literal(1) })],
    ['the literal "1"', withSnapshot({ more: z.literal('1') })],
    ['two literals', withSnapshot({ more: z.literal(['1', 1]) })],
    ['the command', { schemas: { ...refund.schemas, command: z.strictObject({}) } }],
    ['the preview', { schemas: { ...refund.schemas, preview: z.strictObject({}) } }],
    ['the result', withResult(z.strictObject({}))],
    [
      'a schema in the place of another',
      { schemas: { ...refund.schemas, result: refund.schemas.preview, preview: refund.schemas.result } },
    ],
  ]

  it('is another with every change of what an approval depends on', () => {
    const digests = changes.map(([, contract]) => digest(contract))

    expect(new Set([digest({}), ...digests]).size).toBe(changes.length + 1)
  })
})
