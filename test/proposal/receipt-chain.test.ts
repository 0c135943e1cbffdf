// Receipts: golden vectors made by another program, and a chain whose every alteration is named.
import { readFileSync } from 'node:fs'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/effect/canonical-json.ts'
import { framed } from '../../src/effect/hash.ts'
import { type ChainHead, chainReceipt, FIRST_HASH, receiptHash } from '../../src/proposal/receipts/receipt-chain.ts'
import type { Receipt, ReceiptBody } from '../../src/proposal/receipts/receipt.ts'
import type { Status } from '../../src/proposal/status.ts'
import { verifyReceipts } from '../../src/proposal/receipts/verify-receipts.ts'
import { reference } from './refund.ts'

const golden = JSON.parse(readFileSync(new URL('golden/receipts.json', import.meta.url), 'utf8')) as {
  readonly saltHex: string
  readonly firstBytesHex: string
  readonly receipts: readonly Receipt[]
}
const salt = Buffer.from(golden.saltHex, 'hex')
const stored = golden.receipts
const story: readonly Status[] = ['awaiting_approval', 'approved', 'executing', 'failed_unknown', 'verified']
const chain = chainOf(story.map((status, index) => bodyOf(status, 1_000 + index)))

describe('golden vectors', () => {
  it('have these bytes before they are hashed', () => {
    const { hash: _hash, ...first } = receiptAt(stored, 0)
    const bytes = framed(['countersign/receipt/v1', salt, canonicalJson(first, { numbers: 'integers' })])

    expect(Buffer.from(bytes).toString('hex')).toBe(golden.firstBytesHex)
  })

  it('are the chain that is made of their bodies', () => {
    expect(chainOf(stored.flatMap(({ body }) => body ?? []))).toEqual(stored)
  })

  it('are intact and consistent', () => {
    expect(verifyReceipts(stored, salt, stored.at(-1))).toEqual(sound)
  })
})

describe('chainReceipt', () => {
  it('starts with sequence 1 after 64 zeros', () => {
    expect(FIRST_HASH).toMatch(/^0{64}$/)
    expect(chain[0]).toMatchObject({ sequence: 1, previousHash: FIRST_HASH })
  })

  it('links each receipt to the one before it', () => {
    expect(chain.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5])
    expect(chain.slice(1).map(({ previousHash }) => previousHash)).toEqual(chain.slice(0, -1).map(({ hash }) => hash))
  })

  it('keeps nothing of a draft but tenant, proposal and body', () => {
    const draft = { tenant: reference('acme'), proposal: reference('p-1'), body: bodyOf('approved', 1), extra: 1 }

    expect(Object.keys(chainReceipt(salt, null, draft)).sort()).toEqual(Object.keys(receiptAt(chain, 0)).sort())
  })
})

describe('receiptHash', () => {
  it('changes with the salt and with every field', () => {
    const first = receiptAt(chain, 0)
    const changes: Partial<Receipt>[] = [
      { tenant: reference('other') },
      { proposal: reference('p-2') },
      { sequence: 2 },
      { previousHash: 'f'.repeat(64) },
      { body: null },
      ...Object.keys(bodyOf('approved', 1)).map((field) => ({
        body: { ...bodyOf('awaiting_approval', 1_000), [field]: 'changed' },
      })),
    ]
    const hashes = [
      receiptHash(new Uint8Array(32), first),
      ...changes.map((change) => receiptHash(salt, { ...first, ...change })),
    ]

    expect(new Set([first.hash, ...hashes]).size).toBe(1 + hashes.length)
  })
})

describe('verifyReceipts', () => {
  it('finds nothing in a chain as it was made, with and without the salt and the head', () => {
    expect(verifyReceipts(chain, salt)).toEqual(sound)
    expect(verifyReceipts(chain, null)).toEqual(sound)
    expect(verifyReceipts(chain, salt, headOf(chain))).toEqual(sound)
    expect(verifyReceipts(blanked(chain), null, headOf(chain))).toEqual(sound)
  })

  it.each<[string, readonly Receipt[], readonly string[]]>([
    ['no receipt', [], ['0 empty']],
    ['an altered body', replaced(chain, 2, { body: bodyOf('rejected', 1_002) }), ['3 hash_differs']],
    ['an altered hash', replaced(chain, 2, { hash: 'f'.repeat(64) }), ['4 link_broken', '3 hash_differs']],
    ['an altered hash at the end', replaced(chain, 4, { hash: 'f'.repeat(64) }), ['5 hash_differs']],
    ['an altered link', replaced(chain, 2, { previousHash: FIRST_HASH }), ['3 link_broken', '3 hash_differs']],
    ['another tenant', replaced(chain, 2, { tenant: reference('other') }), ['3 foreign', '3 hash_differs']],
    ['another proposal', replaced(chain, 2, { proposal: reference('p-2') }), ['3 foreign', '3 hash_differs']],
    ['an altered sequence', replaced(chain, 4, { sequence: 6 }), ['6 gap', '6 hash_differs']],
    ['a body that is gone', replaced(chain, 4, { body: null }), ['5 body_missing']],
    ['no first receipt', chain.slice(1), ['2 gap', '2 link_broken']],
    ['none in the middle', without(chain, 2), ['4 gap', '4 link_broken']],
    ['one twice', [...chain.slice(0, 2), ...chain.slice(1)], ['2 order', '2 link_broken']],
    [
      'two in the wrong order',
      [0, 2, 1, 3, 4].flatMap((index) => chain[index] ?? []),
      ['3 gap', '3 link_broken', '2 order', '2 link_broken', '4 gap', '4 link_broken'],
    ],
    ['a fraction in a body', replaced(chain, 4, { body: bodyOf('verified', 0.5) }), ['5 hash_differs']],
  ])('names %s', (_title, receipts, problems) => {
    const { intact, integrity } = verifyReceipts(receipts, salt)

    expect(intact).toBe(false)
    expect(integrity.map(({ sequence, problem }) => `${sequence} ${problem}`)).toEqual(problems)
  })

  it('cannot see that the end was cut off, except against the head', () => {
    const cut = chain.slice(0, 3)

    expect(verifyReceipts(cut, salt).intact).toBe(true)
    expect(verifyReceipts(cut, salt, headOf(chain)).integrity).toEqual([{ sequence: 3, problem: 'head_differs' }])
  })

  it('sees another chain of the same length against the head', () => {
    const other = chainOf(story.map((status) => bodyOf(status, 9_000)))

    expect(verifyReceipts(other, salt, headOf(chain)).integrity).toEqual([{ sequence: 5, problem: 'head_differs' }])
  })

  it('checks links and sequence without the salt, and the story where there is one', () => {
    const receipts = without(replaced(chain, 1, { body: null }), 3)

    expect(verifyReceipts(receipts, null)).toEqual({
      intact: false,
      consistent: true,
      integrity: [
        { sequence: 5, problem: 'gap' },
        { sequence: 5, problem: 'link_broken' },
      ],
      consistency: [],
    })
  })

  it.each<[string, readonly ReceiptBody[], readonly string[]]>([
    [
      'a beginning that prepares nothing',
      [bodyOf('awaiting_approval', 1, { type: 'execution.blocked' })],
      ['1 not_prepared_first'],
    ],
    [
      'a beginning in a later status',
      [bodyOf('executing', 1, { type: 'proposal.prepared' })],
      ['1 not_prepared_first'],
    ],
    [
      'a move that the table has not',
      [bodyOf('awaiting_approval', 1), bodyOf('executing', 2), bodyOf('rejected', 3)],
      ['2 transition_not_in_table', '3 transition_not_in_table'],
    ],
    [
      'a status that there is not',
      [bodyOf('awaiting_approval', 1), bodyOf('done' as Status, 2), bodyOf('done' as Status, 3)],
      ['2 transition_not_in_table', '3 transition_not_in_table'],
    ],
    ['time that goes back', [bodyOf('awaiting_approval', 5), bodyOf('approved', 4)], ['2 time_goes_back']],
    [
      'another action',
      [bodyOf('awaiting_approval', 1), bodyOf('approved', 1, { action: 'example.payments/refund@2' })],
      ['2 action_changed'],
    ],
  ])('tells %s apart from integrity', (_title, bodies, problems) => {
    const { intact, consistent, consistency } = verifyReceipts(chainOf(bodies), salt)

    expect(intact).toBe(true)
    expect(consistent).toBe(false)
    expect(consistency.map(({ sequence, problem }) => `${sequence} ${problem}`)).toEqual(problems)
  })

  it('is consistent for a proposal that needs no approval, and where a receipt changes no status', () => {
    const bodies = [bodyOf('approved', 1, { type: 'proposal.prepared' }), bodyOf('approved', 1), bodyOf('executing', 1)]

    expect(verifyReceipts(chainOf(bodies), salt)).toEqual(sound)
  })

  it('does not take a salt that is none for an altered receipt', () => {
    expect(() => verifyReceipts(chain, {} as Uint8Array)).toThrow('outside the bounds')
  })
})

describe('for any chain', () => {
  const chains = fc.array(fc.nat({ max: 50 }), { minLength: 2, maxLength: 8 }).map((steps) => {
    let at = 0
    return chainOf(steps.map((step, index) => bodyOf(index === 0 ? 'awaiting_approval' : 'approved', (at += step))))
  })

  test.prop([chains])('nothing is wrong as it was made', (receipts) => {
    expect(verifyReceipts(receipts, salt, headOf(receipts))).toEqual(sound)
  })

  test.prop([chains, fc.nat(), fc.string({ minLength: 1 })])(
    'an altered receipt is named',
    (receipts, pick, reason) => {
      const index = pick % receipts.length
      const body = { ...bodyOf('approved', 0), reason: reason.toWellFormed() } as ReceiptBody
      const { integrity } = verifyReceipts(replaced(receipts, index, { body }), salt)

      expect(integrity).toEqual([{ sequence: index + 1, problem: 'hash_differs' }])
    },
  )

  test.prop([chains, fc.nat()])(
    'an altered receipt that was hashed again is named by the one after it',
    (receipts, pick) => {
      const index = pick % (receipts.length - 1)
      const forged = { ...receiptAt(receipts, index), body: bodyOf('approved', 7, { runtimeVersion: 'forged' }) }
      const rehashed = { ...forged, hash: receiptHash(salt, forged) }
      const { integrity } = verifyReceipts(replaced(receipts, index, rehashed), salt)

      expect(integrity).toEqual([{ sequence: index + 2, problem: 'link_broken' }])
    },
  )

  test.prop([chains, fc.nat()])('a receipt that is missing is named by the one after it', (receipts, pick) => {
    const index = pick % (receipts.length - 1)
    const { integrity } = verifyReceipts(without(receipts, index), salt)

    expect(integrity).toEqual([
      { sequence: index + 2, problem: 'gap' },
      { sequence: index + 2, problem: 'link_broken' },
    ])
  })

  test.prop([chains, fc.nat()])('an end that is missing is named against the head', (receipts, pick) => {
    const length = 1 + (pick % (receipts.length - 1))
    const { integrity } = verifyReceipts(receipts.slice(0, length), salt, headOf(receipts))

    expect(integrity).toEqual([{ sequence: length, problem: 'head_differs' }])
  })

  test.prop([chains, fc.nat(), fc.nat()])('any other order is named', (receipts, first, second) => {
    const [a, b] = [first % receipts.length, second % receipts.length]
    const moved = receipts.map((_receipt, index) => receiptAt(receipts, index === a ? b : index === b ? a : index))

    expect(verifyReceipts(moved, null).intact).toBe(a === b)
  })
})

const sound = { intact: true, consistent: true, integrity: [], consistency: [] }

function bodyOf(status: Status, at: number, changes: Partial<ReceiptBody> = {}): ReceiptBody {
  return {
    type: status === 'awaiting_approval' ? 'proposal.prepared' : 'execution.blocked',
    at,
    participant: 'user:ann',
    trigger: null,
    action: 'example.payments/refund@3',
    status,
    attempt: null,
    reason: null,
    externalReference: null,
    detail: [],
    runtimeVersion: '0.1.0',
    ...changes,
  }
}

function chainOf(bodies: readonly ReceiptBody[]): readonly Receipt[] {
  const receipts: Receipt[] = []
  const about = { tenant: reference('acme'), proposal: reference('01JD0000000000000000000001') }
  for (const body of bodies) receipts.push(chainReceipt(salt, receipts.at(-1) ?? null, { ...about, body }))
  return receipts
}

function replaced(receipts: readonly Receipt[], at: number, change: Partial<Receipt>): readonly Receipt[] {
  return receipts.map((receipt, index) => (index === at ? { ...receipt, ...change } : receipt))
}

function without(receipts: readonly Receipt[], at: number): readonly Receipt[] {
  return receipts.filter((_receipt, index) => index !== at)
}

function blanked(receipts: readonly Receipt[]): readonly Receipt[] {
  return receipts.map((receipt) => ({ ...receipt, body: null }))
}

function headOf(receipts: readonly Receipt[]): ChainHead {
  const { sequence, hash } = receiptAt(receipts, receipts.length - 1)
  return { sequence, hash }
}

function receiptAt(receipts: readonly Receipt[], index: number): Receipt {
  const receipt = receipts[index]
  if (receipt === undefined) throw new RangeError('there is no such receipt')
  return receipt
}
