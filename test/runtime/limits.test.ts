// Every limit of the table, one below it, at it and one above it, through the doors where it is enforced.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { limits } from '../../src/effect/limits.ts'
import type { Executed, Prepared, Preview, Resolved, Verified } from '../../src/proposal/action.ts'
import { money } from '../../src/proposal/money.ts'
import { noApproval } from '../../src/proposal/policy/policy.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { answerOf, openWorld, reference, refused, STORES, unsound, type World } from './harness.ts'
import { type Refund, refund } from './refund.ts'
import { finance1, finance2, reader, requester, service, session, TENANT } from './sessions.ts'

const AMOUNT = { amount: '10.00', currency: 'EUR' }
/** How deep the lists of lists in `deep` are; with the object around them that is the limit. */
const DEEPEST = limits.jsonDepth - 1

const bulk = {
  lines: z.array(z.string()),
  deep: z.exactOptional(nested(DEEPEST)),
  wide: z.exactOptional(z.strictObject(wideShape(limits.jsonKeysPerObject))),
}

/** The refund with room in everything that it holds. */
const contract = {
  schemas: {
    command: z.strictObject(bulk),
    snapshot: z.strictObject({ ...bulk, amount: money(), note: z.string() }),
    preview: z.strictObject({ lines: z.array(z.string()), amount: money() }),
    result: z.strictObject({ lines: z.array(z.string()) }),
  },
  facts: ['/amount', '/note'],
}

type Bulk = Readonly<Record<string, unknown>>

/** A world whose snapshot, preview and result are what the test says; the rest is as it should be. */
async function openBulk(
  store: StoreName,
  parts: { snapshot?: Bulk; preview?: Bulk; result?: Bulk } = {},
): Promise<World> {
  const { snapshot = { lines: [], amount: AMOUNT, note: '' }, preview = { lines: [], amount: AMOUNT } } = parts
  const result = parts.result ?? { lines: [] }
  let nth = 0
  return openWorld({
    store,
    contract,
    methods: {
      prepare: async ({ effect }) => {
        nth += 1
        return unsound<Prepared<Refund>>({ snapshot, effectReference: effect.derive('bulk', String(nth)) })
      },
      preview: () => unsound<Preview<Refund>>(preview),
      resolve: async () => unsound<Resolved<Refund>>({ current: snapshot, precondition: 'v1' }),
      execute: async () => unsound<Executed<Refund>>({ status: 'accepted', externalReference: 'x-1', result }),
      verify: async ({ idempotencyKeys }) =>
        unsound<Verified<Refund>>({
          status: 'verified_completion',
          identity: idempotencyKeys[0],
          matches: 1,
          facts: { '/amount': AMOUNT, '/note': snapshot['note'] },
          externalReference: 'x-1',
          result,
        }),
    },
  })
}

/** Values that are just within a limit and just over it, as fields of a bulk. */
const sizes: readonly (readonly [limit: string, within: Bulk, over: Bulk])[] = [
  ['jsonDepth', { lines: [], deep: nest(DEEPEST) }, { lines: [], deep: nest(DEEPEST + 1) }],
  [
    'jsonNodes',
    { lines: Array.from({ length: limits.jsonNodes - 2 }, () => '') },
    { lines: Array.from({ length: limits.jsonNodes - 1 }, () => '') },
  ],
  [
    'jsonKeysPerObject',
    { lines: [], wide: wide(limits.jsonKeysPerObject) },
    { lines: [], wide: wide(limits.jsonKeysPerObject + 1) },
  ],
  ['stringBytes', { lines: ['€'.repeat(21_845) + 'x'] }, { lines: ['€'.repeat(21_845) + 'xx'] }],
]

describe('the limits of a command', () => {
  const rows: typeof sizes = [
    ...sizes,
    ['commandBytes', filled(limits.commandBytes, {}), filled(limits.commandBytes + 1, {})],
  ]

  it.each(rows)('%s', async (limit, within, over) => {
    const world = await openBulk('memory')

    expect(await answerOf(world.runtime.prepare(requester, commanded(world, within)))).toBe('prepared')
    const error = await refused(world.runtime.prepare(requester, commanded(world, over)))
    expect(error).toMatchObject({ name: 'LimitExceeded', code: 'limit_exceeded', limit })
    expect(error.message).toBe(`The limit ${limit} was exceeded.`)
    expect(world.action.calls.prepare).toBe(1)
  })
})

const noted = { amount: AMOUNT, note: 'n' }

describe.each(STORES)('the limits of a snapshot on %s', (store) => {
  const rows: typeof sizes = [
    ...sizes.filter(([limit]) => limit !== 'jsonNodes'),
    // The amount, its two parts and the note are values too.
    [
      'jsonNodes',
      { lines: Array.from({ length: limits.jsonNodes - 6 }, () => '') },
      { lines: Array.from({ length: limits.jsonNodes - 5 }, () => '') },
    ],
    ['snapshotBytes', filled(limits.snapshotBytes, noted), filled(limits.snapshotBytes + 1, noted)],
  ]

  it.each(rows)('%s: what is just within it is committed to, executed and verified', async (_limit, within) => {
    const snapshot = { ...noted, ...within }
    const world = await openBulk(store, { snapshot })
    let executed: unknown
    const { execute } = world.action.methods
    world.action.methods.execute = async (input) => {
      executed = input.snapshot
      return execute(input)
    }

    const { proposal, commitment } = await world.runtime.prepare(requester, commanded(world))
    await world.runtime.approve(finance1, proposal, { commitment })
    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('verification_pending')
    await world.clock.advance(5_000)

    expect((await world.runtime.reconcile(service, proposal)).status).toBe('verified')
    expect(executed).toEqual(snapshot)
  })

  it.each(rows)('%s: what is just over it is refused', async (limit, _within, over) => {
    const world = await openBulk(store, { snapshot: { ...noted, ...over } })

    const error = await refused(world.runtime.prepare(requester, commanded(world)))

    expect(error).toMatchObject({ name: 'LimitExceeded', code: 'limit_exceeded', limit })
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toEqual([])
  })
})

describe('the limits of what is shown, found and returned', () => {
  const shown = { amount: AMOUNT }

  it('previewBytes', async () => {
    const within = await openBulk('sqlite', { preview: filled(limits.previewBytes, shown) })
    const over = await openBulk('sqlite', { preview: filled(limits.previewBytes + 1, shown) })

    const { proposal, commitment } = await within.runtime.prepare(requester, commanded(within))
    await within.runtime.approve(finance1, proposal, { commitment })
    expect(await answerOf(within.runtime.execute(requester, proposal))).toBe('verification_pending')
    expect(await within.runtime.read(reader, proposal)).toMatchObject({ preview: filled(limits.previewBytes, shown) })
    const error = await refused(over.runtime.prepare(requester, commanded(over)))
    expect(error).toMatchObject({ name: 'LimitExceeded', code: 'limit_exceeded', limit: 'previewBytes' })
  })

  it('a snapshot, a preview and a policy may all be as large as they can', async () => {
    const principals = Array.from({ length: 900 }, (_, index) => `user:${String(index).padStart(240, '0')}`)
    const world = await openWorld({
      store: 'sqlite',
      contract: {
        ...contract,
        policy: { require: [{ name: 'many', count: 1, from: { principals: [...principals, 'user:fiona'] } }] },
      },
      methods: {
        prepare: async ({ effect }) => {
          const snapshot = filled(limits.snapshotBytes, noted)
          return unsound<Prepared<Refund>>({ snapshot, effectReference: effect.derive('bulk') })
        },
        preview: () => unsound<Preview<Refund>>(filled(limits.previewBytes, shown)),
      },
    })

    const { proposal, commitment } = await world.runtime.prepare(requester, commanded(world))

    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('approved')
  })

  it('factsBytes: what no verifier could ever return is refused before anybody approves it', async () => {
    const around = JSON.stringify({ '/amount': AMOUNT, '/note': '' }).length
    const at = (bytes: number): Bulk => ({ lines: [], amount: AMOUNT, note: 'n'.repeat(bytes - around) })
    const within = await openBulk('memory', { snapshot: at(limits.factsBytes) })
    const over = await openBulk('memory', { snapshot: at(limits.factsBytes + 1) })

    const { proposal, commitment } = await within.runtime.prepare(requester, commanded(within))
    await within.runtime.approve(finance1, proposal, { commitment })
    await within.runtime.execute(requester, proposal)
    await within.clock.advance(5_000)

    expect((await within.runtime.reconcile(service, proposal)).status).toBe('verified')
    const error = await refused(over.runtime.prepare(requester, commanded(over)))
    expect(error).toMatchObject({ name: 'LimitExceeded', code: 'limit_exceeded', limit: 'factsBytes' })
  })

  it('resultBytes: a result just within it is kept, one over it proves nothing', async () => {
    const within = await openBulk('sqlite', { result: filled(limits.resultBytes, {}) })
    const over = await openBulk('sqlite', { result: filled(limits.resultBytes + 1, {}) })
    const answers: string[] = []
    for (const world of [within, over]) {
      const { proposal, commitment } = await world.runtime.prepare(requester, commanded(world))
      await world.runtime.approve(finance1, proposal, { commitment })
      answers.push(await answerOf(world.runtime.execute(requester, proposal)))
      await world.clock.advance(5_000)
      const { status, result } = await world.runtime.reconcile(service, proposal)
      answers.push(status)
      expect(result).toEqual(status === 'verified' ? filled(limits.resultBytes, {}) : null)
    }

    expect(answers).toEqual([
      'verification_pending',
      'verified',
      'failed_unknown malformed_return',
      'verification_pending',
    ])
  })
})

describe.each(STORES)('the limits of decisions on %s', (store) => {
  it('commentCharacters: as many characters as a person sees, not as many as JavaScript counts', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    const within = '\u{1F44D}'.repeat(limits.commentCharacters)

    const error = await refused(world.runtime.approve(finance1, proposal, { commitment, comment: `${within}x` }))

    expect(error).toMatchObject({ name: 'LimitExceeded', code: 'limit_exceeded', limit: 'commentCharacters' })
    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment, comment: within }))).toBe('approved')
    expect(await world.runtime.read(reader, proposal)).toMatchObject({ approvals: [{ comment: within }] })
  })

  it('approvalsPerProposal: a hundred decisions stand; a rejection is always possible', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    const approver = (nth: number) => session(`user:approver-${nth}`, ['finance-manager'])
    for (let nth = 1; nth <= limits.approvalsPerProposal; nth += 1) {
      expect(await answerOf(world.runtime.approve(approver(nth), proposal, { commitment }))).toBe('approved')
    }

    const error = await refused(world.runtime.approve(finance1, proposal, { commitment }))

    expect(error).toMatchObject({ name: 'LimitExceeded', code: 'limit_exceeded', limit: 'approvalsPerProposal' })
    expect(await answerOf(world.runtime.approve(approver(1), proposal, { commitment }))).toBe('replayed')
    expect(await answerOf(world.runtime.reject(finance2, proposal, { commitment }))).toBe('rejected')
  })
})

describe('the limits of pages', () => {
  it.each([1, limits.pageItems])('a page of %i is one', async (limit) => {
    const world = await openWorld({ store: 'memory' })
    await world.prepared()

    expect((await world.runtime.list(reader, { limit })).items).toHaveLength(1)
    expect(await world.runtime.expireDue(service, { limit })).toEqual({ expired: [] })
  })

  it('pageItems: a longer one is refused', async () => {
    const world = await openWorld({ store: 'memory' })
    const limit = limits.pageItems + 1

    for (const operation of [world.runtime.list(reader, { limit }), world.runtime.expireDue(service, { limit })]) {
      expect(await refused(operation)).toMatchObject({
        name: 'LimitExceeded',
        code: 'limit_exceeded',
        limit: 'pageItems',
      })
    }
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '7'])('%j is no number of items', async (limit) => {
    const world = await openWorld({ store: 'memory' })

    for (const operation of [
      world.runtime.list(reader, unsound({ limit })),
      world.runtime.expireDue(service, unsound({ limit })),
    ]) {
      expect(await refused(operation)).toMatchObject({ code: 'malformed_reference', path: '/limit' })
    }
  })
})

describe('the limits of a definition', () => {
  it('proposalLifetimeMs: ninety days', async () => {
    const world = await openWorld({ store: 'memory', contract: { lifetime: '90d' } })
    const { proposal } = await world.prepared()

    const { createdAt, expiresAt } = (await world.stored(proposal)).proposal
    expect(expiresAt - createdAt).toBe(limits.proposalLifetimeMs)
    const error = await refused(world.open({ actions: [world.actionWith({ lifetime: '7776001s' })] }))
    expect(error).toMatchObject({ problems: [{ path: '/lifetime', rule: 'duration_too_long' }] })
  })

  it('reasonTextCharacters: two thousand', () => {
    expect(noApproval('x'.repeat(limits.reasonTextCharacters)).noApproval).toHaveLength(2_000)
    expect(() => noApproval('x'.repeat(limits.reasonTextCharacters + 1))).toThrow(TypeError)
  })
})

describe('the limits of references', () => {
  const longest = '\u{1F4B6}'.repeat(255)

  it('255 code points, in every place where one stands', async () => {
    const longAgent = session(`agent:${longest}`, [longest], {
      tenant: longest,
      owner: { kind: 'user', id: longest },
      assurance: [longest, 'authenticated_session'],
    })
    const permissions = { ...refund.permissions, prepare: longest, read: longest }
    const world = await openWorld({ store: 'sqlite', contract: { permissions } })
    const { prepare } = world.action.methods
    world.action.methods.prepare = async (input) => ({
      ...(await prepare(input)),
      effectReference: longest,
      subject: longest,
    })

    const { proposal } = await world.prepared(longAgent)

    expect(await world.runtime.read(longAgent, proposal)).toMatchObject({ effectReference: longest, subject: longest })
    for (const fields of [{ tenant: `${longest}x` }, { owner: { kind: 'user', id: `${longest}x` } }] as const) {
      expect(await answerOf(world.prepared({ ...longAgent, ...fields }))).toBe('malformed_reference')
    }
  })
})

function commanded(world: World, command?: Bulk): { action: string; command: unknown } {
  return { action: world.action.contract.type, command: command ?? { lines: [] } }
}

/** Fields beside lines that make the canonical text exactly so many bytes. */
function filled(bytes: number, fields: Bulk): Bulk {
  const line = 'x'.repeat(1_000)
  const lines = Array.from({ length: Math.floor(bytes / 1_100) }, () => line)
  const rest = bytes - JSON.stringify({ ...fields, lines: [...lines, ''] }).length
  return { ...fields, lines: [...lines, 'x'.repeat(rest)] }
}

function nested(depth: number): z.ZodType {
  let schema: z.ZodType = z.int()
  for (let at = 0; at < depth; at += 1) schema = z.array(schema)
  return schema
}

function nest(depth: number): unknown {
  let value: unknown = 7
  for (let at = 0; at < depth; at += 1) value = [value]
  return value
}

function wideShape(keys: number): Record<string, z.ZodType> {
  return Object.fromEntries(Object.keys(wide(keys)).map((key) => [key, z.exactOptional(z.int())]))
}

function wide(keys: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, index]))
}
