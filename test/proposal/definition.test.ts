// Registration: what is safe becomes plain data with its defaults; everything that is not is refused with path and reason.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { define, parseActionType } from '../../src/proposal/definition/definition.ts'
import { DefinitionError } from '../../src/proposal/errors.ts'
import { money } from '../../src/proposal/money.ts'
import { noApproval } from '../../src/proposal/policy/policy.ts'
import { type Changes, definitionProblems, problemsOf, refund, RefundAction, register } from './refund.ts'

const acknowledged = async (): Promise<{ acknowledged: true }> => ({ acknowledged: true })
const { snapshot } = refund.schemas
const onePerson = { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }] }

describe('a definition', () => {
  it('has the defaults of lifecycle 3', () => {
    const action = new RefundAction()
    const { digest, schemas, ...definition } = define(action)

    expect(definition).toEqual({
      action,
      type: 'example.payments/refund@3',
      name: 'example.payments/refund',
      version: 3,
      revision: 1,
      domain: 'example.payments/refund',
      formerDomains: [],
      lifetimeMs: 600_000,
      executeTimeoutMs: 30_000,
      leaseMs: 60_000,
      inFlightMs: 60_000,
      verifyTimeoutMs: 30_000,
      hostTimeoutMs: 10_000,
      verification: { delayMs: 5_000, absences: 4, unavailables: 20, waitMaxMs: 3_600_000, slowProbeMs: 86_400_000 },
      facts: ['/amount'],
      acceptProof: { failure: ['terminal', 'cancelled', 'fenced'], resend: [] },
      target: { name: 'psp', keyLifetimeMs: 86_400_000 },
      attemptsMax: 3,
      verifies: [],
      execution: 'on_request',
      retention: { settledMs: null, closedMs: null },
      materiality: { immaterial: [], sets: [] },
      policy: refund.policy,
    })
    expect(schemas).toEqual(refund.schemas)
    expect(digest).toMatch(/^[0-9a-f]{64}$/)
  })

  it('keeps everything that is given', () => {
    const {
      digest: _digest,
      schemas: _schemas,
      policy: _policy,
      action: _action,
      ...definition
    } = register({
      contract: {
        lifetime: '90d',
        effectDomain: 'refunds',
        formerDomains: ['example.payments/refund', 'old/refunds'],
        revision: 7,
        executeTimeout: '1d',
        inFlight: '2h',
        verifyTimeout: '1s',
        hostTimeout: '500ms',
        verification: { delay: '1s', absences: 1, unavailables: 2, waitMax: '3s', slowProbe: '4s' },
        facts: ['/orderReference', '/amount'],
        acceptProof: { failure: ['terminal', 'settled', 'key_consumed'], resend: ['terminal'] },
        target: { name: 'psp.eu-1_a', idempotent: { keyLifetime: '365d' } },
        immaterial: ['/note', { path: '/tags', as: 'set' }],
        attemptsMax: 100,
        verifies: [2, 1],
        execution: 'when_approved',
        retention: { settled: '365d', closed: '1h' },
      },
    })

    expect(definition).toEqual({
      type: 'example.payments/refund@3',
      name: 'example.payments/refund',
      version: 3,
      revision: 7,
      domain: 'refunds',
      formerDomains: ['example.payments/refund', 'old/refunds'],
      lifetimeMs: 7_776_000_000,
      executeTimeoutMs: 86_400_000,
      leaseMs: 86_430_000,
      inFlightMs: 7_200_000,
      verifyTimeoutMs: 1_000,
      hostTimeoutMs: 500,
      verification: { delayMs: 1_000, absences: 1, unavailables: 2, waitMaxMs: 3_000, slowProbeMs: 4_000 },
      facts: ['/orderReference', '/amount'],
      acceptProof: { failure: ['terminal', 'settled', 'key_consumed'], resend: ['terminal'] },
      target: { name: 'psp.eu-1_a', keyLifetimeMs: 31_536_000_000 },
      attemptsMax: 100,
      verifies: [2, 1],
      execution: 'when_approved',
      retention: { settledMs: 31_536_000_000, closedMs: 3_600_000 },
      materiality: { immaterial: ['/note'], sets: ['/tags'] },
    })
  })

  it('holds a frozen copy of the policy, which nobody can change afterwards', () => {
    const policy = { require: [{ name: 'finance', count: 2, from: { role: 'finance-manager' } }] }
    const definition = register({ contract: { policy } })
    policy.require.length = 0

    expect(definition.policy).toEqual({ require: [{ name: 'finance', count: 2, from: { role: 'finance-manager' } }] })
    expect(Object.isFrozen(definition.policy)).toBe(true)
  })

  it('holds the very declaration of no approval, and the very function that chooses', () => {
    const declared = noApproval('Nothing of value moves')
    const chooses = (): typeof declared => declared

    expect(register({ contract: { policy: declared } }).policy).toBe(declared)
    expect(register({ contract: { policy: chooses } }).policy).toBe(chooses)
  })

  it.each<[string, Changes]>([
    [
      'fenced and cancelled with the methods that get the acknowledgement',
      {
        methods: { fence: acknowledged, cancel: acknowledged },
        contract: { acceptProof: { failure: ['fenced', 'cancelled'], resend: ['fenced', 'cancelled'] } },
      },
    ],
    [
      'a resend whose key is remembered just long enough',
      {
        contract: {
          acceptProof: { resend: ['terminal'] },
          executeTimeout: '10s',
          inFlight: '20s',
          target: { name: 'psp', idempotent: { keyLifetime: '30s' } },
        },
      },
    ],
    [
      'a target that is not idempotent, without a resend',
      {
        contract: { target: { name: 'bank', idempotent: false }, acceptProof: { failure: ['settled'], resend: [] } },
      },
    ],
    ['no proof at all', { contract: { acceptProof: { failure: [] } } }],
    ['a domain of any characters that there may be', { contract: { effectDomain: '9a.z_0/b-1' } }],
    ['a comparison of its own', { methods: { compareFacts: () => true } }],
    ['rights of its own', { methods: { can: () => true }, contract: { permissions: {} } }],
    ['a fact deep inside, and one that is null at times', { contract: { facts: ['/amount/currency', '/customer'] } }],
    [
      'a set that is null at times',
      {
        contract: {
          schemas: { ...refund.schemas, snapshot: snapshot.extend({ tags: z.array(z.string()).nullable() }) },
          immaterial: [{ path: '/tags', as: 'set' }],
        },
      },
    ],
    [
      'an amount as condition',
      {
        contract: {
          policy: {
            require: [
              { name: 'a', count: 1, from: { role: 'r' } },
              {
                name: 'b',
                count: 1,
                from: { role: 's' },
                when: { path: '/amount', atLeast: { amount: '1.00', currency: 'EUR' } },
              },
            ],
          },
        },
      },
    ],
    [
      'fields that are there and undefined',
      { contract: { immaterial: undefined, acceptProof: undefined, verifies: undefined } },
    ],
  ])('may have %s', (_title, changes) => {
    expect(problemsOf(changes)).toEqual([])
  })
})

const contractTable: readonly (readonly [
  title: string,
  fields: Record<string, unknown>,
  ...problems: readonly string[],
])[] = [
  ['no type', { type: undefined }, '/type type_invalid'],
  ['a type without a version', { type: 'example.payments/refund' }, '/type type_invalid'],
  ['a namespace of one part', { type: 'payments/refund@3' }, '/type type_invalid'],
  ['a type in upper case', { type: 'example.Payments/refund@3' }, '/type type_invalid'],
  ['version 0', { type: 'example.payments/refund@0' }, '/type type_invalid'],
  ['a version with a zero before it', { type: 'example.payments/refund@03' }, '/type type_invalid'],

  [
    'no schemas',
    { schemas: undefined },
    '/schemas not_an_object',
    '/schemas/command not_a_schema',
    '/schemas/snapshot not_a_schema',
    '/schemas/preview not_a_schema',
    '/schemas/result not_a_schema',
  ],
  ['a schema that is missing', { schemas: { ...refund.schemas, result: undefined } }, '/schemas/result not_a_schema'],
  [
    'a schema too many',
    { schemas: { ...refund.schemas, output: z.strictObject({}) } },
    '/schemas/output unknown_field',
  ],
  [
    'an open snapshot',
    { schemas: { ...refund.schemas, snapshot: z.object({ amount: money() }) } },
    '/schemas/snapshot open_object',
  ],
  [
    'a float in the snapshot',
    { schemas: { ...refund.schemas, snapshot: z.strictObject({ amount: z.number() }) } },
    '/schemas/snapshot/amount not_integer',
  ],
  [
    'a default in the command',
    { schemas: { ...refund.schemas, command: z.strictObject({ a: z.string().default('') }) } },
    '/schemas/command/a no_default',
  ],
  [
    'anything in the preview',
    { schemas: { ...refund.schemas, preview: z.strictObject({ a: z.any() }) } },
    '/schemas/preview/a no_any',
  ],

  ['no lifetime', { lifetime: undefined }, '/lifetime duration_missing'],
  ['a lifetime in milliseconds', { lifetime: 600_000 }, '/lifetime duration_invalid'],
  ['a lifetime of nothing', { lifetime: '0m' }, '/lifetime duration_invalid'],
  ['a lifetime over 90 days', { lifetime: '91d' }, '/lifetime duration_too_long'],
  ['an executeTimeout that is negative', { executeTimeout: '-1s' }, '/executeTimeout duration_invalid'],
  ['an executeTimeout over a day', { executeTimeout: '25h' }, '/executeTimeout duration_too_long'],
  ['a verifyTimeout over a day', { verifyTimeout: '25h' }, '/verifyTimeout duration_too_long'],
  ['a hostTimeout over a day', { hostTimeout: '25h' }, '/hostTimeout duration_too_long'],
  ['an inFlight without a unit', { inFlight: '60' }, '/inFlight duration_invalid'],
  ['an inFlight over 90 days', { inFlight: '91d' }, '/inFlight duration_too_long'],

  ['no policy', { policy: undefined }, '/policy not_an_object'],
  ['an empty policy', { policy: { require: [] } }, '/policy/require require_empty'],
  ['no approval, undeclared', { policy: { noApproval: 'x' } }, '/policy/noApproval no_approval_undeclared'],
  [
    'a count of 0',
    { policy: { require: [{ name: 'a', count: 0, from: { role: 'r' } }] } },
    '/policy/require/0/count count_invalid',
  ],
  [
    'a condition on what is no money',
    { policy: policyWhen('/tags') },
    '/policy/require/1/when/path when_path_not_money',
  ],
  [
    'a condition on what is not there',
    { policy: policyWhen('/total') },
    '/policy/require/1/when/path when_path_missing',
  ],
  [
    'a policy with undefined in it',
    { policy: { ...onePerson, exclude: undefined } },
    '/policy/exclude policy_not_plain',
  ],

  ['no permissions', { permissions: undefined }, '/permissions not_an_object'],
  ['an act that there is not', { permissions: { approve: 'a' } }, '/permissions/approve act_unknown'],
  ['an act with a slash', { permissions: { 'read/write': 'a' } }, '/permissions/read~1write act_unknown'],
  ['an act of Object.prototype', { permissions: { toString: 'a' } }, '/permissions/toString act_unknown'],
  ['no role', { permissions: { decide: [] } }, '/permissions/decide roles_invalid'],
  ['an empty role', { permissions: { decide: '' } }, '/permissions/decide roles_invalid'],
  ['an empty role among others', { permissions: { decide: ['a', ''] } }, '/permissions/decide roles_invalid'],
  ['a role that is true', { permissions: { decide: true } }, '/permissions/decide roles_invalid'],
  ['a role that is undefined', { permissions: { decide: undefined } }, '/permissions/decide roles_invalid'],

  ['no facts', { facts: undefined }, '/facts list_empty'],
  ['an empty list of facts', { facts: [] }, '/facts list_empty'],
  ['facts that are no list', { facts: '/amount' }, '/facts not_a_list'],
  ['a fact that is no pointer', { facts: ['amount'] }, '/facts/0 path_invalid'],
  ['a fact that is no text', { facts: [7] }, '/facts/0 path_invalid'],
  ['a fact that is everything', { facts: [''] }, '/facts/0 path_invalid'],
  ['a fact that is not in the snapshot', { facts: ['/amount', '/total'] }, '/facts/1 path_missing'],
  ['a fact inside a list', { facts: ['/tags/0'] }, '/facts/0 path_missing'],
  ['a fact that is not in every snapshot', { facts: ['/note'] }, '/facts/0 path_not_always'],
  ['a fact below what may be null', { facts: ['/customer/name'] }, '/facts/0 path_not_always'],
  ['a fact twice', { facts: ['/amount', '/amount'] }, '/facts/1 duplicate'],

  [
    'no target',
    { target: undefined },
    '/target not_an_object',
    '/target/name target_invalid',
    '/target/idempotent idempotent_invalid',
  ],
  ['a target without a name', { target: { idempotent: false } }, '/target/name target_invalid'],
  ['a target with a name in upper case', { target: { name: 'PSP', idempotent: false } }, '/target/name target_invalid'],
  [
    'a target with a name that is too long',
    { target: { name: 'p'.repeat(65), idempotent: false } },
    '/target/name target_invalid',
  ],
  [
    'a target that does not say whether it is idempotent',
    { target: { name: 'psp' } },
    '/target/idempotent idempotent_invalid',
  ],
  [
    'a target that is idempotent for ever',
    { target: { name: 'psp', idempotent: true } },
    '/target/idempotent idempotent_invalid',
  ],
  [
    'a key without a lifetime',
    { target: { name: 'psp', idempotent: {} } },
    '/target/idempotent/keyLifetime duration_missing',
  ],
  [
    'a key with a lifetime of nothing',
    { target: { name: 'psp', idempotent: { keyLifetime: '0s' } } },
    '/target/idempotent/keyLifetime duration_invalid',
  ],
  [
    'a field too many in the target',
    { target: { name: 'psp', idempotent: false, url: 'x' } },
    '/target/url unknown_field',
  ],
  [
    'a field too many for the key',
    { target: { name: 'psp', idempotent: { keyLifetime: '1d', header: 'x' } } },
    '/target/idempotent/header unknown_field',
  ],

  ['immaterial paths that are no list', { immaterial: '/note' }, '/immaterial not_a_list'],
  ['an immaterial path that is no pointer', { immaterial: ['note'] }, '/immaterial/0 immaterial_invalid'],
  ['everything immaterial in one', { immaterial: [''] }, '/immaterial/0 immaterial_invalid'],
  [
    'everything immaterial, one by one',
    { immaterial: Object.keys(snapshot.shape).map((name) => `/${name}`) },
    '/immaterial nothing_material',
  ],
  ['an immaterial path that is not in the snapshot', { immaterial: ['/notes'] }, '/immaterial/0 path_missing'],
  ['an immaterial path inside a list', { immaterial: ['/tags/0'] }, '/immaterial/0 path_missing'],
  ['a set that is no list', { immaterial: [{ path: '/amount', as: 'set' }] }, '/immaterial/0 set_not_a_list'],
  ['a set that is not in the snapshot', { immaterial: [{ path: '/lines', as: 'set' }] }, '/immaterial/0 path_missing'],
  ['a list as something else', { immaterial: [{ path: '/tags', as: 'bag' }] }, '/immaterial/0 immaterial_invalid'],
  ['a set without a path', { immaterial: [{ as: 'set' }] }, '/immaterial/0 immaterial_invalid'],
  [
    'a set with a field too many',
    { immaterial: [{ path: '/tags', as: 'set', by: 'id' }] },
    '/immaterial/0/by unknown_field',
  ],
  ['an immaterial path twice', { immaterial: ['/note', '/note'] }, '/immaterial/1 duplicate'],
  [
    'a list that is immaterial and a set',
    { immaterial: ['/tags', { path: '/tags', as: 'set' }] },
    '/immaterial/1 duplicate',
  ],

  ['a domain of guarded calls', { effectDomain: 'call:refunds' }, '/effectDomain domain_of_calls'],
  ['a domain in upper case', { effectDomain: 'Refunds' }, '/effectDomain domain_invalid'],
  ['an empty domain', { effectDomain: '' }, '/effectDomain domain_invalid'],
  ['a domain that is too long', { effectDomain: 'r'.repeat(256) }, '/effectDomain domain_invalid'],
  ['a domain that is no text', { effectDomain: null }, '/effectDomain domain_invalid'],
  [
    'a former domain that is the present one',
    { formerDomains: ['example.payments/refund'] },
    '/formerDomains/0 domain_is_current',
  ],
  [
    'a former domain that is the given one',
    { effectDomain: 'refunds', formerDomains: ['refunds'] },
    '/formerDomains/0 domain_is_current',
  ],
  ['a former domain of guarded calls', { formerDomains: ['call:x'] }, '/formerDomains/0 domain_of_calls'],
  ['a former domain twice', { formerDomains: ['a', 'a'] }, '/formerDomains/1 duplicate'],
  ['former domains that are no list', { formerDomains: 'a' }, '/formerDomains not_a_list'],

  ['revision 0', { revision: 0 }, '/revision integer_invalid'],
  ['a revision that is a text', { revision: '2' }, '/revision integer_invalid'],
  ['another execution', { execution: 'at_once' }, '/execution execution_unknown'],
  ['an execution of null', { execution: null }, '/execution execution_unknown'],
  ['a retention that is no object', { retention: '30d' }, '/retention not_an_object'],
  ['a retention of something else', { retention: { open: '30d' } }, '/retention/open unknown_field'],
  ['a retention of no duration', { retention: { settled: 30 } }, '/retention/settled duration_invalid'],
  ['a retention of nothing', { retention: { closed: '0d' } }, '/retention/closed duration_invalid'],
  ['no attempt', { attemptsMax: 0 }, '/attemptsMax integer_invalid'],
  ['half an attempt', { attemptsMax: 1.5 }, '/attemptsMax integer_invalid'],
  ['more attempts than an effect may have', { attemptsMax: 101 }, '/attemptsMax integer_invalid'],
  ['its own version to verify', { verifies: [3] }, '/verifies/0 integer_invalid'],
  ['version 0 to verify', { verifies: [0] }, '/verifies/0 integer_invalid'],
  ['a version to verify twice', { verifies: [1, 1] }, '/verifies/1 duplicate'],
  ['a version to verify that is no number', { verifies: ['1'] }, '/verifies/0 integer_invalid'],

  ['verification that is no object', { verification: '5s' }, '/verification not_an_object'],
  ['a delay that is no duration', { verification: { delay: 5 } }, '/verification/delay duration_invalid'],
  ['no absence', { verification: { absences: 0 } }, '/verification/absences integer_invalid'],
  [
    'more unavailables than observations',
    { verification: { unavailables: 10_001 } },
    '/verification/unavailables integer_invalid',
  ],
  ['a wait that is too long', { verification: { waitMax: '91d' } }, '/verification/waitMax duration_too_long'],
  ['a slow probe of nothing', { verification: { slowProbe: '0d' } }, '/verification/slowProbe duration_invalid'],
  ['a field too many in verification', { verification: { budget: 1 } }, '/verification/budget unknown_field'],

  ['proofs that are no object', { acceptProof: ['terminal'] }, '/acceptProof not_an_object'],
  ['a proof that there is not', { acceptProof: { failure: ['gone'] } }, '/acceptProof/failure/0 proof_unknown'],
  ['a proof twice', { acceptProof: { failure: ['terminal', 'terminal'] } }, '/acceptProof/failure/1 duplicate'],
  ['a field too many in the proofs', { acceptProof: { retry: [] } }, '/acceptProof/retry unknown_field'],
  ['proofs that are no list', { acceptProof: { resend: 'terminal' } }, '/acceptProof/resend not_a_list'],
  ['fenced without fence()', { acceptProof: { failure: ['fenced'] } }, '/acceptProof/failure/0 fence_missing'],
  ['cancelled without cancel()', { acceptProof: { failure: ['cancelled'] } }, '/acceptProof/failure/0 cancel_missing'],
  [
    'a resend after fenced without fence()',
    { acceptProof: { resend: ['fenced'] } },
    '/acceptProof/resend/0 fence_missing',
  ],
  [
    'a resend after what is no failure',
    { acceptProof: { failure: ['terminal'], resend: ['settled'] } },
    '/acceptProof/resend/0 resend_not_failure',
  ],
  [
    'a resend after what is no failure by default',
    { acceptProof: { resend: ['settled'] } },
    '/acceptProof/resend/0 resend_not_failure',
  ],
  [
    'a resend under a consumed key',
    { acceptProof: { failure: ['key_consumed'], resend: ['key_consumed'] } },
    '/acceptProof/resend/0 resend_key_consumed',
  ],
  [
    'a resend to a target that is not idempotent',
    { acceptProof: { resend: ['terminal'] }, target: { name: 'psp', idempotent: false } },
    '/acceptProof/resend resend_not_idempotent',
  ],
  [
    'a resend after the target forgot the key',
    { acceptProof: { resend: ['terminal'] }, target: { name: 'psp', idempotent: { keyLifetime: '89s' } } },
    '/target/idempotent/keyLifetime key_lifetime_too_short',
  ],

  ['a field that is none', { retries: 3 }, '/retries unknown_field'],
  ['a field with a slash', { 'a/b': 3 }, '/a~1b unknown_field'],
]

describe('a contract is refused for', () => {
  const rows = contractTable.map(([title, fields, ...problems]) => ({ title, fields, problems }))

  it.each(rows)('$title', ({ fields, problems }) => {
    expect(problemsOf({ contract: fields })).toEqual(problems)
  })
})

describe('an action is refused', () => {
  it.each(['prepare', 'preview', 'resolve', 'execute', 'verify', 'can'])('without %s()', (name) => {
    expect(problemsOf({ methods: { [name]: undefined } })).toEqual([`/${name} method_missing`])
  })

  it.each(['compareFacts', 'fence', 'cancel'])('with a %s that is no method', (name) => {
    expect(problemsOf({ methods: { [name]: true } })).toEqual([`/${name} method_missing`])
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a class', RefundAction],
    ['an object without a contract', {}],
    ['an object with another contract', { contract: 'refund' }],
  ])('if it is %s', (_title, action) => {
    expect(() => define(action as RefundAction)).toThrow(
      'The action cannot be registered:\n  must be an action: an object with a contract and the methods of Action',
    )
  })
})

describe('the error of a definition', () => {
  it('says everything at once, with each path and a sentence', () => {
    expect(() =>
      register({ contract: { facts: [], lifetime: undefined, retries: 3 }, methods: { verify: null } }),
    ).toThrow(
      new DefinitionError('example.payments/refund@3', [
        { path: '/retries', rule: 'unknown_field', message: 'is no field of a contract' },
        { path: '/verify', rule: 'method_missing', message: 'must be a method of the action' },
        { path: '/lifetime', rule: 'duration_missing', message: 'must be given: nothing may stay open for ever' },
        { path: '/facts', rule: 'list_empty', message: 'must name at least one' },
      ]),
    )
  })

  it('does not blame paths on a snapshot that is refused itself', () => {
    const schemas = { ...refund.schemas, snapshot: z.strictObject({ amount: z.number() }) }
    const fields = {
      schemas,
      facts: ['/total'],
      immaterial: ['/a', { path: '/b', as: 'set' }],
      policy: policyWhen('/c'),
    }

    expect(problemsOf({ contract: fields })).toEqual(['/schemas/snapshot/amount not_integer'])
  })

  it('does not blame versions and domains on a type that is refused itself', () => {
    expect(problemsOf({ contract: { type: 7, verifies: [2], formerDomains: ['a'] } })).toEqual(['/type type_invalid'])
  })

  it('gives every problem a sentence', () => {
    const problems = contractTable.flatMap((row) => definitionProblems({ contract: row[1] }))

    expect(problems.length).toBeGreaterThan(contractTable.length)
    for (const { message } of problems) expect(message).toMatch(/^[a-z].* /)
  })
})

describe('parseActionType', () => {
  it.each([
    ['example.payments/refund@1', 'example.payments/refund', 1],
    ['example.payments/refund@10', 'example.payments/refund', 10],
    ['a.b.c-d.e_f/g-h_1@999999999', 'a.b.c-d.e_f/g-h_1', 999_999_999],
    [`a.${'b'.repeat(251)}/c@2`, `a.${'b'.repeat(251)}/c`, 2],
  ])('reads %s', (type, name, version) => {
    expect(parseActionType(type)).toEqual({ name, version })
  })

  it.each([
    '',
    'refund@1',
    'payments/refund@1',
    '.payments/refund@1',
    'example./refund@1',
    'example.payments/@1',
    'example.payments/refund',
    'example.payments/refund@',
    'example.payments/refund@1.0',
    'example.payments/refund@-1',
    'example.payments/refund@1000000000',
    'example.payments/refund@1\n',
    ' example.payments/refund@1',
    'example.payments/a/b@1',
    'example.payments/a.b@1',
    'example.payments/rückgabe@1',
    '1example.payments/refund@1',
    'call:example.payments/refund@1',
    `a.${'b'.repeat(252)}/c@2`,
  ])('refuses %j', (type) => {
    expect(parseActionType(type)).toBeNull()
  })
})

function policyWhen(path: string): unknown {
  const atLeast = { amount: '100.00', currency: 'EUR' }
  const director = { name: 'director', count: 1, from: { role: 'director' }, when: { path, atLeast } }
  return { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }, director] }
}
