// The page of a proposal: what differs from before, what else there is for the same thing, what is known, and what is gone.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApp } from '../../../src/http.ts'
import { wholeChanges } from '../../../src/http/inbox/preview/changes.ts'
import type { Drift } from '../../../src/proposal/content/drift.ts'
import { localKeyring } from '../../../src/runtime/keys/local-keyring.ts'
import { LIFETIME_MS, STORES, unsound } from '../../runtime/harness.ts'
import { answering, executing, found, inDoubt, refusing, unresolved } from '../../runtime/operators.ts'
import { withoutGuards } from '../../store/sqlite-fixture.ts'
import { refund } from '../../runtime/refund.ts'
import { finance1, operator, privacy, requester, service, session } from '../../runtime/sessions.ts'
import { authenticate } from '../world.ts'
import { formIn, type InboxWorld, openInbox, ORIGIN, sessionOfCookie, visitorOf } from './inbox-world.ts'

const key = (): string => randomBytes(32).toString('base64url')
const at = (ref: string): string => `/inbox/proposals/${ref}`

/** A section of a page, by its heading, as somebody reads it. */
function section(text: string, heading: string): string {
  const inside = new RegExp(`aria-labelledby="${heading}">([\\s\\S]*?)</section>`).exec(text)?.[1]
  return (inside ?? '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Approves, moves the business and executes: the proposal goes stale, and a fresh one stands in its place. */
async function overtaken(world: InboxWorld): Promise<{ readonly old: string; readonly fresh: string }> {
  const { resolve } = world.action.methods
  world.action.methods.resolve = async (input) => {
    const resolved = await resolve(input)
    return { ...resolved, ...(resolved.current === null ? {} : { replacement: resolved.current }) }
  }
  const { proposal } = await world.approvedProposal(requester)
  world.action.business.orderVersion += 1
  world.action.business.refunded = { amount: '1030.00', currency: 'EUR' }
  world.action.business.customer = 'Somebody Private'
  const { replacedBy } = await world.runtime.execute(requester, proposal)
  return { old: proposal, fresh: replacedBy ?? '' }
}

describe.each(STORES)('a proposal on %s', (store) => {
  it('that was overtaken says which fields moved, and leads to the one in its place', async () => {
    const world = await openInbox({ store })
    const { old, fresh } = await overtaken(world)

    const { text } = await world.visitor(finance1).get(at(old))

    expect(section(text, 'drift')).toContain('Changed since it was prepared')
    expect(section(text, 'drift')).toContain('/refunded/amount')
    expect(text).toContain(`A fresh proposal stands in its place. <a href="${at(fresh)}">`)
    expect(text).not.toMatch(/Private|1,030\.00/)
    expect(() => formIn(text, 'approve')).toThrow('no form')
  })

  it('that stands in the place of another shows each field before and now, also where it is approved', async () => {
    const world = await openInbox({ store })
    const { old, fresh } = await overtaken(world)

    for (const path of [at(fresh), `${at(fresh)}/approve`]) {
      const { text } = await world.visitor(finance1).get(path)
      expect(section(text, 'replaces')).toBe(
        'In place of another proposal Approvals of the other one do not count here. Open the other one ' +
          'What Before Now Already refunded 20.00 EUR 1,030.00 EUR',
      )
      expect(text).toContain(`<a href="${at(old)}">Open the other one</a>`)
      expect(text).not.toContain('Private')
    }
  })

  it('that differs in more than can be listed says that these are not all', async () => {
    const lines = z.strictObject({ title: z.string(), lines: z.array(z.string()) })
    const world = await openInbox({
      store,
      contract: { schemas: { ...refund.schemas, preview: lines } },
      methods: {
        preview: ({ orderVersion }) =>
          unsound({
            title: 'Lines',
            lines: Array.from({ length: 120 }, (_, line) => `line ${line} of ${orderVersion}`),
          }),
      },
    })
    const { fresh } = await overtaken(world)

    const visitor = world.visitor(finance1)
    const { text } = await visitor.get(at(fresh))
    const parts = await Promise.all(
      [1, 2, 3, 4].map(async (part) => visitor.get(`${at(fresh)}/whole/replaces?part=${part}`)),
    )

    expect(section(text, 'replaces')).toContain('Part 1 of 4.')
    expect(section(text, 'replaces')).toContain('These are the first 100.')
    expect(parts.flatMap((part) => part.text.match(/line \d+ of 8/g) ?? [])).toHaveLength(100)
    const preview = await Promise.all(
      [1, 2].map(async (part) => visitor.get(`${at(fresh)}/whole/preview?part=${part}`)),
    )
    expect(preview.flatMap((part) => part.text.match(/line \d+ of 8/g) ?? [])).toHaveLength(120)
  })

  it('warns of related ones, open or sent, of the same effect and of the same subject', async () => {
    const world = await openInbox({ store })
    const sent = await inDoubt(world)
    const again = await world.prepared(requester, world.input({ intent: 'broken vase' }))
    const { proposal } = await world.prepared(requester)
    const visitor = world.visitor(finance1)

    const [same, other] = [await visitor.get(at(again.proposal)), await visitor.get(at(proposal))]

    expect(section(same.text, 'related')).toContain('The same effect: In doubt')
    expect(section(other.text, 'related')).toContain('About the same subject: In doubt')
    expect(same.text).toContain(`<a href="${at(sent)}">`)
  })

  it('that is erased says that it was there, and nothing of what it was', async () => {
    const world = await openInbox({ store })
    const { proposal } = await world.prepared(requester)
    await world.runtime.withdraw(requester, proposal)
    await world.runtime.erase(privacy, proposal, { reason: 'asked_by_subject' })

    for (const path of [at(proposal), `${at(proposal)}/approve`]) {
      const { status, text } = await world.visitor(finance1).get(path)
      expect([status, text.includes('Its content is erased')]).toEqual([200, true])
      expect(text).not.toMatch(/10\.00|ORD-1001|<form method="post"/)
    }
  })

  it('whose content cannot be opened is shown as that, and cannot be decided on', async () => {
    const [reference, lost, kept] = [key(), key(), key()]
    const world = await openInbox({ store, keyring: localKeyring(`reference=${reference}\nk1=${lost}`) })
    const { proposal } = await world.prepared(requester)
    const runtime = await world.open({ keyring: localKeyring(`reference=${reference}\nk2=${kept}`) })
    const app = createApp({ runtime, authenticate, inbox: { origin: ORIGIN, session: sessionOfCookie } })
    const visitor = visitorOf({ app }, finance1)

    for (const path of ['', '/approve']) {
      const { status, text } = await visitor.get(at(proposal) + path)
      expect([status, text.includes('content cannot be opened')]).toEqual([200, true])
      for (const act of ['approve', 'reject']) expect(() => formIn(text, act)).toThrow('no form')
    }
    expect((await visitor.get('/inbox')).text).toContain('Its content cannot be opened.')
  })

  it('is told to whoever asked for it that they may not approve it, also where they send it all the same', async () => {
    const world = await openInbox({ store })
    const both = session('user:rita', ['support', 'finance-manager'])
    const { proposal, commitment, revision } = await world.prepared(both)
    const visitor = world.visitor(both)
    const { text } = await visitor.get(`${at(proposal)}/approve`)
    expect(() => formIn(text, 'approve')).toThrow('no form')
    const { values } = formIn((await visitor.get(at(proposal))).text, 'withdraw')

    const answer = await visitor.post(`${at(proposal)}/approve`, { ...values, commitment, comment: '' })

    expect(answer.headers.get('Location')).toContain('said=separation_of_duties')
    expect((await visitor.get(answer.headers.get('Location') ?? '')).text).toContain('role="status">✗')
    expect((await world.stored(proposal)).proposal.revision).toBe(revision)
  })
})

describe('a chain of receipts that somebody has changed', () => {
  it('is said to be not whole, on the page of the proposal', async () => {
    const world = await openInbox({ store: 'sqlite', verified: false })
    const { proposal } = await world.approvedProposal()
    const visitor = world.visitor(finance1)
    const warning = 'The chain of receipts is not whole.'
    expect((await visitor.get(at(proposal))).text).not.toContain(warning)

    withoutGuards(world.path ?? '', `update receipts set participant = 'user:felix' where participant = 'user:fiona'`)

    expect((await visitor.get(at(proposal))).text).toContain(warning)
  })
})

describe('what differs from the proposal before', () => {
  const now = {
    fee: { amount: '1.00', currency: 'USD' },
    list: [{ amount: '2.00', currency: 'EUR' }],
    name: 'B',
    amount: '7',
  }

  it.each<[string, readonly Drift[], readonly Drift[]]>([
    [
      'an amount of which both parts moved is one',
      [
        { path: '/fee/amount', before: '3.00', after: '1.00' },
        { path: '/fee/currency', before: 'EUR', after: 'USD' },
      ],
      [{ path: '/fee', before: { amount: '3.00', currency: 'EUR' }, after: now.fee }],
    ],
    [
      'an amount in a list has its currency',
      [{ path: '/list/0/amount', before: '9.00', after: '2.00' }],
      [{ path: '/list/0', before: { amount: '9.00', currency: 'EUR' }, after: now.list[0] ?? null }],
    ],
    [
      'what is no amount stays as it is, whatever its name',
      [
        { path: '/name', before: 'A', after: 'B' },
        { path: '/amount', before: '8', after: '7' },
        { path: '/gone/amount', before: '8.00' },
      ],
      [
        { path: '/name', before: 'A', after: 'B' },
        { path: '/amount', before: '8', after: '7' },
        { path: '/gone/amount', before: '8.00' },
      ],
    ],
  ])('%s', (_, changes, shown) => {
    expect(wholeChanges(now, changes)).toEqual(shown)
  })
})

describe('a long chain of receipts', () => {
  it('has its older part behind a click, and all of it in the page', async () => {
    const world = await openInbox()
    const { proposal, commitment } = await world.prepared(requester)
    for (let times = 0; times < 10; times += 1) {
      await world.runtime.approve(finance1, proposal, { commitment })
      const { approvals } = await world.stored(proposal)
      const last = approvals.findLast(({ revokedAt }) => revokedAt === null)
      await world.runtime.revokeApproval(finance1, proposal, last?.approvalId ?? '')
    }

    const { text } = await world.visitor(finance1).get(at(proposal))

    expect(text).toContain('<summary>Show 9 older entries</summary>')
    expect(section(text, 'timeline').match(/Approved , by|Taken back|Approval taken back/g)?.length).toBeGreaterThan(9)
    expect(section(text, 'timeline').match(/2030, 12:00/g)).toHaveLength(21)
  })
})

describe('what is known', () => {
  it.each<[string, (world: InboxWorld) => Promise<string>, string]>([
    ['nothing was sent', async (world) => (await world.prepared()).proposal, 'Nothing has been sent.'],
    [
      'the answer was lost',
      inDoubt,
      'The request ended without an answer: it may have had its effect, or not. It is being looked for at the provider. Nothing will be sent again while that is so.',
    ],
    [
      'a person must look',
      unresolved,
      'It could not be found out whether the effect happened. A person must look. Nothing will be sent again while that is so.',
    ],
    [
      'it was found',
      async (world) => {
        const ref = await unresolved(world)
        answering(world, found)
        await world.runtime.reconcile(operator, ref, { now: true })
        return ref
      },
      'The effect was found at the provider, with what was approved. Nothing will be sent again.',
    ],
    [
      'the provider refused',
      async (world) => {
        executing(world, refusing)
        const { proposal } = await world.approvedProposal()
        await world.runtime.execute(requester, proposal)
        return proposal
      },
      'It is known that the effect did not happen. Nothing will be sent again.',
    ],
    [
      'it expired',
      async (world) => {
        const { proposal } = await world.prepared()
        await world.clock.advance(LIFETIME_MS * 100)
        await world.runtime.execute(service, proposal)
        return proposal
      },
      'Nothing was sent.',
    ],
  ])('is said in plain words where %s', async (_, reach, words) => {
    const world = await openInbox()
    const ref = await reach(world)

    const { text } = await world.visitor(operator).get(at(ref))

    expect(section(text, 'evidence')).toContain(`What is known ${words}`)
  })
})
