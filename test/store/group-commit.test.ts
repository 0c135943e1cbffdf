// Shared commits: changes that come at the same time are committed together, and each meets only what it would meet alone.
import { beforeEach, describe, expect, it } from 'vitest'
import { PersistenceOutcomeUnknown } from '../../src/proposal/errors.ts'
import { postgresStore } from '../../src/postgres.ts'
import type { Change, Committed, Conflict, Store } from '../../src/runtime/ports.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { BrokenInvariant } from '../../src/store/broken-invariant.ts'
import { emptyChange, inserting, updating } from '../../src/testing/store-conformance/sample-changes.ts'
import {
  inStatus,
  reference,
  SAMPLE_TENANT,
  sampleProposal,
} from '../../src/testing/store-conformance/sample-proposals.ts'
import { commits, liveOf, prepared } from '../../src/testing/store-conformance/steps.ts'
import { freshPath } from './sqlite-fixture.ts'
import { type Watched, watched } from './watched-commits.ts'

const COMMITTED = { kind: 'committed' }

function many(number: number): readonly Change[] {
  return Array.from({ length: number }, () => inserting(sampleProposal()))
}

function sent(store: Store, changes: readonly Change[]): readonly Promise<Committed | Conflict>[] {
  return changes.map((change) => store.commit(change))
}

function reasonsOf(answers: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  return answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
}

describe.each(['sqlite', 'postgres'] as const)('a shared commit on %s', (engine) => {
  let open: Watched
  let store: Store

  beforeEach(async () => {
    open = await watched(engine, 16)
    store = open.store
  })

  it.each([
    [1, 32],
    [5, 7],
    [16, 2],
    [64, 1],
  ])('of at most %i changes: 32 that come at once are %i commits', async (changesPerCommit, expected) => {
    open = await watched(engine, changesPerCommit)

    const answers = await Promise.all(sent(open.store, many(32)))

    expect(answers.every(({ kind }) => kind === 'committed')).toBe(true)
    expect(await open.changesStored()).toBe(32)
    expect(open.count()).toBe(expected)
  })

  it('is awaited by all who share it: nothing is told before it is durable, conflicts included', async () => {
    const live = await prepared(store)
    const approved = updating(live, inStatus(live.proposal, 'approved'))
    await commits(store, approved)
    let told = 0
    const toldAtCommits: number[] = []
    open.onCommit = () => toldAtCommits.push(told)

    const changes = [...many(3), { ...approved, changeId: 'too late by one revision' }, ...many(3)]
    const answers = await Promise.all(
      sent(store, changes).map(async (sending) => {
        const answer = await sending
        told += 1
        return answer
      }),
    )

    expect(toldAtCommits).toEqual([0])
    expect(answers.map(({ kind }) => kind === 'committed')).toEqual([true, true, true, false, true, true, true])
  })

  it('R13 keeps the order of what rests on the same rows: each is judged by what came before it', async () => {
    const live = await prepared(store)
    const approved = inStatus(live.proposal, 'approved')
    const first = updating(live, approved)
    const second = updating(
      { proposal: approved, lastHash: first.receipts[0]?.hash ?? '' },
      inStatus(approved, 'withdrawn'),
    )
    const late = updating(live, inStatus(live.proposal, 'withdrawn'))

    const answers = await Promise.all(sent(store, [first, ...many(2), second, late, ...many(2)]))

    expect(answers[4]).toEqual({ kind: 'conflict', on: 'revision' })
    expect(answers.filter(({ kind }) => kind === 'committed')).toHaveLength(6)
    expect((await liveOf(store, live.proposal)).proposal.status).toBe('withdrawn')
  })

  it('holds a change once that was sent twice, and one of two that use the same request key', async () => {
    const [change] = many(1)
    const keyed = [1, 2].map(() => inserting(sampleProposal(), { requestKeyHash: 'the same' }))

    const answers = await Promise.all(
      sent(
        store,
        [change, change, ...keyed].flatMap((one) => one ?? []),
      ),
    )

    expect(answers).toMatchObject([COMMITTED, COMMITTED, COMMITTED, { kind: 'conflict', on: 'request_key' }])
    expect(await open.changesStored()).toBe(2)
  })

  it('leaves out what breaks an invariant, and everything else lands', async () => {
    const live = await prepared(store)
    const change = updating(live, inStatus(live.proposal, 'approved'))
    // Continues no chain, which the database finds out.
    const receipts = change.receipts.map((receipt) => ({ ...receipt, previousHash: 'a'.repeat(64) }))
    const broken = { ...change, receipts }
    const before = await open.changesStored()

    const answers = await Promise.allSettled(sent(store, [...many(4), broken, ...many(4)]))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
    expect(reasonsOf(answers)).toEqual([expect.any(BrokenInvariant)])
    expect(await open.changesStored()).toBe(before + 8)
    expect(await liveOf(store, live.proposal)).toEqual(live)
  })

  it.each(['before', 'after'] as const)(
    'whose answer is lost %s it landed is found out for each change',
    async (loss) => {
      const live = await prepared(store)
      await commits(store, updating(live, inStatus(live.proposal, 'approved')))
      const before = await open.changesStored()
      open.losses = [loss]

      const answers = await Promise.all(sent(store, many(8)))

      expect(answers.every(({ kind }) => kind === 'committed')).toBe(true)
      expect(await open.changesStored()).toBe(before + 8)
      const events = await store.events(SAMPLE_TENANT, 0, 100)
      expect(events).toHaveLength(before + 8)
    },
  )

  it.each([
    ['before', 'before', 7],
    ['before', 'after', 8],
    ['after', 'before', 8],
  ] as const)(
    'whose answer is lost %s it landed, and for one change %s it again, is unknown for that one',
    async (first, second, landed) => {
      open.losses = [first, second]

      const answers = await Promise.allSettled(sent(store, many(8)))

      const unknown = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
      expect(unknown).toEqual([expect.any(PersistenceOutcomeUnknown)])
      expect(await open.changesStored()).toBe(landed)
    },
  )

  it('that was lost leaves a conflict unknown as well, since the change may have landed with it', async () => {
    const live = await prepared(store)
    const late = { ...updating(live, inStatus(live.proposal, 'approved')), notAfter: 0 }
    open.losses = ['before']

    const answers = await Promise.allSettled(sent(store, [...many(2), late]))

    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(reasonsOf(answers)).toEqual([expect.any(PersistenceOutcomeUnknown)])
  })

  it('is answered before the store is closed', async () => {
    const answers = Promise.all(sent(store, many(20)))
    await store.close()

    expect((await answers).every(({ kind }) => kind === 'committed')).toBe(true)
    await expect(store.commit(emptyChange(SAMPLE_TENANT))).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it('is of any tenants, and tells none of another', async () => {
    const tenants = [SAMPLE_TENANT, reference('tenant-b'), reference('tenant-c')]
    const changes = tenants.flatMap((tenant) => {
      return [1, 2, 3].map(() => inserting(sampleProposal({ tenant, effect: { ...sampleProposal().effect, tenant } })))
    })

    await Promise.all(sent(store, changes))

    for (const tenant of tenants) {
      const refs = changes.filter((change) => change.tenant === tenant).map(({ events: [event] }) => event?.proposal)
      const events = await store.events(tenant, 0, 10)
      expect(new Set(events.map(({ proposal }) => proposal))).toEqual(new Set(refs))
      expect(events).toHaveLength(3)
    }
  })
})

describe('the number of changes that share a commit', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('is refused if it is %d', async (changesPerCommit) => {
    const sentence = 'changesPerCommit must be a whole number, 1 or more'
    const url = 'postgres://nobody@localhost:1/none'

    await expect(sqliteStore(freshPath(), { changesPerCommit })).rejects.toThrow(sentence)
    await expect(postgresStore({ url, changesPerCommit })).rejects.toThrow(sentence)
  })
})
