// Tricks: other people's proposals by their number, a page of yesterday, a form of another proposal, a planted cookie, a link that lies.
import { describe, expect, it } from 'vitest'
import { SignInLinks } from '../../../src/http/inbox/session/sign-in-links.ts'
import { STORES } from '../../runtime/harness.ts'
import { elsewhere, finance1, finance2, operator, requester } from '../../runtime/sessions.ts'
import { formIn, type InboxWorld, openInbox, type Visitor } from './inbox-world.ts'

const at = (ref: string): string => `/inbox/proposals/${ref}`
const NOWHERE = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
/** What every form of an act may have. */
const FIELDS = { comment: '', reason: 'x', evidenceReference: 'case-1', verdict: 'occurred' }
const ACTS: Readonly<Record<string, readonly (keyof typeof FIELDS | 'commitment')[]>> = {
  approve: ['commitment', 'comment'],
  reject: ['commitment', 'comment'],
  'approvals/01ARZ3NDEKTSV4RRFFQ69G5FAV/revoke': [],
  withdraw: [],
  check: [],
  reconcile: [],
  resume: ['reason'],
  settle: ['verdict', 'reason', 'evidenceReference'],
}

async function approveForm(visitor: Visitor, ref: string): Promise<Readonly<Record<string, string>>> {
  return formIn((await visitor.get(`${at(ref)}/approve`)).text, 'approve').values
}

async function decisionsOn(world: InboxWorld, ref: string): Promise<readonly string[]> {
  return (await world.stored(ref)).approvals.map(({ decision, approver }) => `${approver.id} ${decision}`)
}

describe.each(STORES)('on %s', (store) => {
  it('threat T34 a number of another tenant’s proposal is no number: no page is there and no act', async () => {
    const world = await openInbox({ store })
    const { proposal, commitment, revision } = await world.prepared(requester)
    const own = (await world.prepared(elsewhere(requester))).proposal
    const people = await Promise.all(
      [finance1, operator, requester].map(async (one) => {
        const visitor = world.visitor(elsewhere(one))
        const { values } = formIn((await visitor.get(at(own))).text, one === requester ? 'withdraw' : 'check')
        return { visitor, token: values['token'] ?? '' }
      }),
    )

    for (const { visitor, token } of people) {
      for (const below of ['', '/approve', '/whole/preview', '/whole/timeline?part=2']) {
        const [there, nowhere] = [await visitor.get(at(proposal) + below), await visitor.get(at(NOWHERE) + below)]
        expect([below, there.status, plain(there.text) === plain(nowhere.text)]).toEqual([below, 404, true])
      }
      for (const [act, names] of Object.entries(ACTS)) {
        const given = Object.fromEntries(names.map((name) => [name, { commitment, ...FIELDS }[name]]))
        const send = async (ref: string) =>
          visitor.post(`${at(ref)}/${act}`, { token, revision: String(revision), ...given })
        const [there, nowhere] = [await send(proposal), await send(NOWHERE)]
        expect([act, there.status, plain(there.text) === plain(nowhere.text)]).toEqual([act, 404, true])
      }
    }

    expect((await world.stored(proposal)).proposal.revision).toBe(revision)
  })

  it('threat T16 a page of yesterday approves nothing else: not what took its place, and not another one', async () => {
    const world = await openInbox({ store })
    const [first, second] = [await world.prepared(requester), await world.prepared(requester)]
    const visitor = world.visitor(finance1)
    const values = await approveForm(visitor, first.proposal)
    world.action.business.refunded = { amount: '30.00', currency: 'EUR' }
    const fresh = await world.prepared(requester, { ...world.input(), replaces: first.proposal })

    for (const ref of [second.proposal, fresh.proposal]) {
      const answer = await visitor.post(`${at(ref)}/approve`, values)
      expect([answer.status, answer.headers.get('Location')?.includes('said=approved')]).toEqual([303, false])
      expect(await decisionsOn(world, ref)).toEqual([])
    }
    const stale = await visitor.post(`${at(first.proposal)}/approve`, values)
    expect(stale.headers.get('Location')).not.toContain('said=approved')
    expect(await decisionsOn(world, first.proposal)).toEqual([])
  })

  it('case C042 twenty equal submissions at once are one decision', async () => {
    const world = await openInbox({ store })
    const { proposal } = await world.prepared(requester)
    const visitor = world.visitor(finance1)
    const values = await approveForm(visitor, proposal)

    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => visitor.post(`${at(proposal)}/approve`, values)),
    )

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303))
    expect(answers.filter(({ headers }) => headers.get('Location')?.includes('said=approved'))).toHaveLength(1)
    expect(await decisionsOn(world, proposal)).toEqual(['fiona approve'])
  })
})

describe('a link that says that something was done', () => {
  it('is believed only where this browser was told so, of this proposal', async () => {
    const world = await openInbox()
    const [mine, other] = [await world.prepared(requester), await world.prepared(requester)]
    const visitor = world.visitor(finance1)
    const values = await approveForm(visitor, mine.proposal)
    const told = (await visitor.post(`${at(mine.proposal)}/approve`, values)).headers.get('Location') ?? ''
    const says = async (by: Visitor, path: string): Promise<boolean> =>
      (await by.get(path)).text.includes('Your approval is recorded.')
    const friend = world.visitor(finance2)
    await friend.get('/inbox')

    expect(await says(visitor, told)).toBe(true)
    expect(await says(friend, told)).toBe(false)
    expect(await says(visitor, told.replace(mine.proposal, other.proposal))).toBe(false)
    expect(await says(visitor, `${at(other.proposal)}?said=approved`)).toBe(false)
    expect(await says(visitor, told.replace('said=approved', 'said=rejected'))).toBe(false)
  })
})

describe('signing in by a link', () => {
  const people = { fiona: finance1, oscar: operator }
  async function openSignIn(): Promise<{ readonly world: InboxWorld; readonly links: SignInLinks }> {
    const links = new SignInLinks({ people, clock: { now: () => 0 } })
    return { links, world: await openInbox({ app: { inbox: { origin: 'http://127.0.0.1:4000', signIn: links } } }) }
  }

  it('threat T13 a link that is sent twenty times at once signs one browser in', async () => {
    const { world, links } = await openSignIn()
    const link = links.issue()

    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => world.visitor(null).post('/inbox/sign-in', { link, as: 'fiona' })),
    )

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ headers }) => headers.has('Set-Cookie'))).toHaveLength(1)
  })

  it('a cookie that was planted before is not the session after, and one that was left behind is over', async () => {
    const { world, links } = await openSignIn()
    const planted = Buffer.alloc(32, 7).toString('base64url')
    const visitor = world.visitor(null)
    visitor.cookies.set('countersign-inbox', planted)
    const thief = world.visitor(null)
    thief.cookies.set('countersign-inbox', planted)

    const entered = await visitor.post('/inbox/sign-in', { link: links.issue(), as: 'fiona' })
    expect(entered.status).toBe(303)
    expect(visitor.cookies.get('countersign-inbox')).not.toBe(planted)
    expect((await visitor.get('/inbox')).status).toBe(200)
    expect((await thief.get('/inbox')).status).toBe(401)

    thief.cookies.set('countersign-inbox', visitor.cookies.get('countersign-inbox') ?? '')
    await visitor.fill('/inbox', 'as', { as: 'oscar' })
    expect((await visitor.get('/inbox')).text).toContain('user:oscar')
    expect((await thief.get('/inbox')).status).toBe(401)
  })

  it('a session that is given twice is none', async () => {
    const { world, links } = await openSignIn()
    const visitor = world.visitor(null)
    await visitor.post('/inbox/sign-in', { link: links.issue(), as: 'fiona' })
    const secret = visitor.cookies.get('countersign-inbox') ?? ''

    visitor.cookies.set('countersign-inbox', `${secret}; countersign-inbox=${'A'.repeat(43)}`)

    expect((await visitor.get('/inbox')).status).toBe(401)
  })
})

/** Without what is drawn for each request. */
function plain(text: string): string {
  return text.replaceAll(/nonce="[^"]*"|<p class="quiet"><code>.*<\/p>/g, '')
}
