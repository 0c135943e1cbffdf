// Commitments and manifests: golden vectors made by another program, every field bound, nothing parsed loosely.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type JsonValue, parseCanonicalJson } from '../../src/effect/canonical-json.ts'
import { framed } from '../../src/effect/hash.ts'
import { commitment, parseCommitment, sameCommitment } from '../../src/proposal/content/commitment.ts'
import { type Committed, type Manifest, manifestOf, manifestText } from '../../src/proposal/content/manifest.ts'
import golden from './golden/commitments.json' with { type: 'json' }
import { reference } from './refund.ts'

const key = Buffer.from(golden.keyHex, 'hex')
const otherKey = new Uint8Array(32).fill(7)

const proposal: Committed = {
  tenant: reference('acme'),
  ref: reference('p-1'),
  action: 'example.payments/refund@3',
  definitionDigest: 'ab'.repeat(32),
  effect: { tenant: reference('acme'), domain: 'example.payments/refund', reference: reference('er_1') },
  requester: { kind: 'user', id: reference('ann') },
  agent: { kind: 'agent', id: reference('bot') },
  agentOwner: { kind: 'user', id: reference('olga') },
  replaces: reference('p-0'),
  policy: {
    require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' }, when: null, applies: true }],
    excluded: [{ principal: 'user:ann', because: 'requester' }],
    switchedOff: [],
    approvalTtlMs: 600_000,
    assurance: ['mfa'],
    whileRelatedInDoubt: 'warn',
    noApproval: null,
  },
  commandFingerprint: 'f1_x',
  createdAt: 1_000,
  expiresAt: 2_000,
}
const manifest = manifestOf(proposal, { amount: '10.00' }, { title: 'Refund' })
const committed = (content: Manifest): string => commitment(key, manifestText(content))

describe('golden vectors', () => {
  it.each(golden.vectors.map((vector, index) => ({ index, ...vector })))(
    'manifest $index has these bytes and this commitment',
    ({ manifest: content, text, bytesHex, commitment: expected }) => {
      expect(manifestText(content as Manifest)).toBe(text)
      expect(Buffer.from(framed(['countersign/commitment/v1', text])).toString('hex')).toBe(bytesHex)
      expect(commitment(key, text)).toBe(expected)
    },
  )
})

describe('manifestOf', () => {
  it('holds what is committed to, and of principals nothing but kind and id', () => {
    const requester = { kind: 'user', id: reference('ann'), displayName: 'Ann' } as const

    expect(manifestOf({ ...proposal, requester }, { a: 1 }, { b: 2 })).toEqual({
      format: 1,
      tenant: 'acme',
      proposal: 'p-1',
      action: 'example.payments/refund@3',
      definitionDigest: 'ab'.repeat(32),
      effectDomain: 'example.payments/refund',
      effectReference: 'er_1',
      requester: { kind: 'user', id: 'ann' },
      agent: { kind: 'agent', id: 'bot' },
      agentOwner: { kind: 'user', id: 'olga' },
      replaces: 'p-0',
      commandFingerprint: 'f1_x',
      snapshot: { a: 1 },
      preview: { b: 2 },
      policy: proposal.policy,
      createdAt: 1_000,
      expiresAt: 2_000,
    })
  })

  it('says null for a proposal without an agent', () => {
    expect(manifestOf({ ...proposal, agent: null, agentOwner: null }, {}, {})).toMatchObject({
      agent: null,
      agentOwner: null,
    })
  })
})

describe('manifestText', () => {
  it('is canonical JSON', () => {
    expect(manifestText(manifest)).toBe(canonicalJson(manifest, { numbers: 'integers' }))
  })

  it('takes snapshot and preview that are each as deep and as large as they may be', () => {
    let deep: JsonValue = {}
    for (let depth = 1; depth < 64; depth += 1) deep = [deep]
    const wide = Array.from({ length: 9_999 }, (_, index) => index)
    const text = manifestText(manifestOf(proposal, deep, wide))

    expect(JSON.parse(text)).toMatchObject({ snapshot: deep, preview: wide })
  })
})

describe('a commitment', () => {
  const changes: Readonly<Record<keyof Manifest, unknown>> = {
    format: 2,
    tenant: 'other',
    proposal: 'p-2',
    action: 'example.payments/refund@4',
    definitionDigest: 'ac'.repeat(32),
    effectDomain: 'example.payments/other',
    effectReference: 'er_2',
    requester: { kind: 'service', id: 'ann' },
    agent: null,
    agentOwner: { kind: 'user', id: 'otto' },
    replaces: null,
    commandFingerprint: 'f1_y',
    snapshot: { amount: '10.01' },
    preview: { title: 'Refund ' },
    policy: { ...proposal.policy, assurance: [] },
    createdAt: 1_001,
    expiresAt: 2_001,
  }

  it.each(Object.entries(changes))('changes with the field %s (invariant I31)', (field, value) => {
    expect(committed({ ...manifest, [field]: value })).not.toBe(committed(manifest))
  })

  it('covers every field of the manifest', () => {
    expect(Object.keys(changes).sort()).toEqual(Object.keys(manifest).sort())
  })

  test.prop([fc.constantFrom(...Object.keys(manifest)), fc.jsonValue()])(
    'changes with any change of any field',
    (field, value) => {
      const changed = { ...manifest, [field]: wholeNumbers(value) } as Manifest

      expect(committed(changed) === committed(manifest)).toBe(manifestText(changed) === manifestText(manifest))
    },
  )

  test.prop([fc.nat(), fc.integer({ min: 0x20, max: 0x7e })])('changes with any character of the text', (at, code) => {
    const text = manifestText(manifest)
    const index = at % text.length
    const changed = text.slice(0, index) + String.fromCodePoint(code) + text.slice(index + 1)

    expect(commitment(key, changed) === commitment(key, text)).toBe(changed === text)
  })

  it('changes with the key', () => {
    const text = manifestText(manifest)

    expect(commitment(otherKey, text)).not.toBe(commitment(key, text))
  })

  it('survives a round through the stored text', () => {
    const text = manifestText(manifest)

    expect(committed(parseCanonicalJson(text) as Manifest)).toBe(committed(manifest))
  })
})

describe('parseCommitment', () => {
  const shown = committed(manifest)

  it('reads back the 32 bytes', () => {
    expect(parseCommitment(shown)).toHaveLength(32)
    expect(`c1_${Buffer.from(parseCommitment(shown) ?? []).toString('base64url')}`).toBe(shown)
  })

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'c1_'],
    ['no prefix', shown.slice(3)],
    ['another prefix', shown.replace('c1_', 'c2_')],
    ['the prefix in upper case', shown.replace('c1_', 'C1_')],
    ['a character fewer', shown.slice(0, -1)],
    ['a character more', `${shown}A`],
    ['padding', `${shown}=`],
    ['a space before', ` ${shown}`],
    ['a line end', `${shown}\n`],
    ['the other alphabet', `c1_${'+'.repeat(43)}`],
    ['stray bits at the end', `c1_${'A'.repeat(42)}B`],
    ['hex', `c1_${'ab'.repeat(32)}`],
    ['no text', undefined],
    ['a list of the right text', [shown]],
  ])('refuses %s', (_title, text) => {
    expect(parseCommitment(text)).toBeNull()
  })
})

describe('sameCommitment', () => {
  const shown = committed(manifest)
  const other = commitment(otherKey, 'x')

  it('is true for the same, and false for another', () => {
    expect(sameCommitment(shown, shown)).toBe(true)
    expect(sameCommitment(shown, other)).toBe(false)
  })

  it('is false for what cannot be parsed, even if it is the same twice (reliability F14)', () => {
    expect(sameCommitment('', '')).toBe(false)
    expect(sameCommitment('c1_', 'c1_')).toBe(false)
    expect(sameCommitment(shown, '')).toBe(false)
    expect(sameCommitment('', shown)).toBe(false)
  })
})

function wholeNumbers(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'number' ? 1 : inner)))
}
