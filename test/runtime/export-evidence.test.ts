// Exporting: who may, what is in a bundle and what is not, and that whoever has one can check it without the store.
import { describe, expect, it } from 'vitest'
import type { EvidenceBundle } from '../../src/proposal/receipts/evidence-bundle.ts'
import type { Session } from '../../src/proposal/session.ts'
import { type EvidenceReport, verifyEvidence } from '../../src/proposal/receipts/verify-evidence.ts'
import { HOUR_MS, reference, refused, STORES, type World } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import {
  answering,
  approvedFor,
  contradicted,
  effectBehind,
  examiner,
  executing,
  found,
  gone,
  goneForGood,
  inDoubt,
  lost,
  openOperators,
  operator2,
  permissions,
  refusing,
  saying,
  SETTLED_MS,
  successor,
  unresolved,
} from './operators.ts'
import { elsewhere, finance1, operator, reader, requester, service, session, stranger, TENANT } from './sessions.ts'

const privacy = session('user:petra', ['privacy-officer', 'auditor'])

describe.each(STORES)('an exported bundle on %s', (store) => {
  it.each<[string, (world: World) => Promise<string>, EvidenceReport['outcome']['evidence']]>([
    ['awaiting_approval', async (world) => (await world.prepared()).proposal, null],
    ['approved', async (world) => (await approvedFor(world, 'vase')).proposal, null],
    ['failed_unknown', async (world) => inDoubt(world), 'UNKNOWN'],
    ['verification_unresolved', async (world) => unresolved(world), 'UNKNOWN'],
    ['verification_unresolved', async (world) => contradicted(world), 'UNKNOWN'],
    ['verified', verified, 'CONFIRMED'],
    ['failed_known', refusedInTime, 'FAILED'],
    ['approved', released, 'FAILED'],
    ['expired', expiredAfterRelease, 'FAILED'],
    ['closed_unknown', async (world) => settledAs(world, 'closed_unknown'), 'UNKNOWN'],
    ['failed_known', async (world) => settledAs(world, 'did_not_occur'), 'FAILED'],
    ['verified', async (world) => settledAs(world, 'occurred'), 'CONFIRMED'],
  ])('of a proposal that is %s is checked anywhere', async (status, reach, evidence) => {
    const world = await openOperators({ store })
    const ref = await reach(world)

    const bundle = await world.runtime.exportEvidence(examiner, ref)

    expect(bundle).toMatchObject({ proposal: ref, status, exportedAt: world.clock.now() })
    expect(report(JSON.parse(JSON.stringify(bundle)))).toMatchObject({
      kind: 'checked',
      integrity: { holds: true, checked: 'contents', problems: [] },
      consistency: { holds: true, problems: [] },
      outcome: { evidence, statusAgrees: true },
    })
  })

  it('shows while a call is under way that nobody knows', async () => {
    const world = await openOperators({ store })
    const { proposal } = await approvedFor(world, 'vase')
    const bundles: EvidenceBundle[] = []
    executing(world, async () => {
      bundles.push(await world.runtime.exportEvidence(examiner, proposal))
      return { status: 'accepted' }
    })
    await world.runtime.execute(requester, proposal)

    expect(bundles.map(report)).toMatchObject([
      { consistency: { holds: true }, outcome: { evidence: 'UNKNOWN', statusAgrees: true } },
    ])
    expect(bundles[0]?.attempts).toMatchObject([{ number: 1, ending: null }])
  })

  it('of an erased proposal has its links, its evidence, and no word of what was done by whom', async () => {
    const world = await openOperators({ store })
    const ref = await verified(world)
    const before = await world.runtime.exportEvidence(examiner, ref)
    await world.runtime.erase(privacy, ref, { reason: 'asked_by_subject' })

    const bundle = await world.runtime.exportEvidence(examiner, ref)

    expect(bundle).toMatchObject({ status: 'verified', receiptSalt: null, attempts: [{ proposal: ref }] })
    expect(bundle.receipts.every(({ body }) => body === null)).toBe(true)
    expect(report(bundle)).toMatchObject({
      integrity: { holds: true, checked: 'links' },
      consistency: { holds: true },
      outcome: { evidence: 'CONFIRMED', statusAgrees: true },
    })
    const last = before.receipts.at(-1)
    expect(last === undefined ? null : verifyEvidence(bundle, last)).toEqual(report(bundle))
    expect(report({ ...bundle, receipts: bundle.receipts.slice(0, -1) }).integrity.holds).toBe(false)
    expect(JSON.stringify(bundle)).not.toMatch(/user:|service:|agent:/)
  })

  it('holds no content', async () => {
    const world = await openOperators({ store })
    const canary = 'canary-4711'
    world.action.business.customer = canary
    const input = world.input({ intent: 'vase', memo: canary, orderReference: canary })
    const { proposal, commitment } = await world.runtime.prepare(requester, input)
    await world.runtime.approve(finance1, proposal, { commitment, comment: canary })
    executing(world, async () => {
      throw new Error(canary)
    })
    await world.runtime.execute(requester, proposal)
    await world.clock.advance(SETTLED_MS)
    answering(world, (asked) => ({ ...found(asked), result: { refundId: canary } }) as ReturnType<typeof found>)
    expect(await world.runtime.reconcile(service, proposal)).toMatchObject({ result: { refundId: canary } })

    const text = JSON.stringify(await world.runtime.exportEvidence(examiner, proposal))

    expect(text).not.toContain(canary)
    expect(text).not.toContain('10.00')
    const stored = await world.stored(proposal)
    const key = Buffer.from(stored.key.wrapped)
    for (const form of ['base64', 'base64url', 'hex'] as const) expect(text).not.toContain(key.toString(form))
    expect(text).not.toContain(stored.proposal.commitment)
    expect(text).not.toContain(stored.proposal.commandFingerprint ?? '')
    expect(text).not.toContain((await effectBehind(world, proposal)).attempts[0]?.token)
  })

  it.each<[string, Session, string]>([
    ['a reader', reader, 'not_permitted'],
    ['the requester', requester, 'not_permitted'],
    ['an operator', operator, 'not_permitted'],
    ['an examiner who may not read', session('user:ella', ['examiner']), 'not_found'],
    ['a stranger', stranger, 'not_found'],
    ['an examiner of another tenant', elsewhere(examiner), 'not_found'],
  ])('rule R14 %s exports nothing', async (_, by, code) => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)

    expect(await refused(world.runtime.exportEvidence(by, ref))).toMatchObject({ code })
    expect(await refused(world.runtime.exportEvidence(examiner, 'no-such-proposal'))).toMatchObject({
      code: 'not_found',
    })
  })

  it('trace S47 of a proposal that never called anything says nothing of another one’s attempts', async () => {
    const world = await openOperators({ store })
    const first = await verified(world)
    const rival = (await world.prepared(requester, world.input({ intent: 'another vase' }))).proposal
    const waiting = await openOperators({ store })
    await inDoubt(waiting)
    const competitor = await successor(waiting)

    expect((await world.runtime.exportEvidence(examiner, first)).attempts).toHaveLength(1)
    expect(await world.runtime.exportEvidence(examiner, rival)).toMatchObject({ attempts: [], observations: [] })
    const bundle = await waiting.runtime.exportEvidence(examiner, competitor)
    expect(bundle).toMatchObject({ attempts: [], observations: [], settlement: null })
    expect(report(bundle).outcome).toMatchObject({ evidence: null, statusAgrees: true })
  })

  it('trace S47 names another proposal of the effect only to who may read it', async () => {
    const secret = session('user:rosa', ['support'])
    const world = await openOperators({
      store,
      methods: {
        can(act, { roles }, { proposal }) {
          const allowed = [permissions[act] ?? []].flat().some((role) => roles.some((one) => one === role))
          const isHidden =
            act === 'read' &&
            proposal?.requester.id === 'rosa' &&
            !roles.includes('operator') &&
            roles.includes('examiner')
          return allowed && !isHidden
        },
      },
    })
    executing(world, refusing)
    const first = await successor(world, 'broken vase', secret)
    await world.runtime.execute(secret, first)
    answering(world, gone)
    executing(world, lost)
    const second = await successor(world)
    await world.runtime.execute(requester, second)

    const shown = await world.runtime.exportEvidence(session('user:ella', ['examiner', 'operator']), second)
    const hidden = await world.runtime.exportEvidence(examiner, second)

    expect(shown.attempts.map(({ proposal }) => proposal)).toEqual([first, second])
    expect(hidden.attempts.map(({ proposal }) => proposal)).toEqual([null, second])
    expect(JSON.stringify(hidden)).not.toContain(first)
    expect(report(hidden)).toMatchObject({
      consistency: { holds: true },
      outcome: { evidence: 'UNKNOWN', statusAgrees: true },
    })
  })

  it('of a former owner says what its own attempts did', async () => {
    const world = await openOperators({ store })
    const first = await refusedInTime(world)
    answering(world, gone)
    executing(world, async () => ({ status: 'accepted' }))
    const second = await successor(world, 'refused vase')
    await world.runtime.execute(requester, second)
    answering(world, found)
    await world.runtime.reconcile(operator, second, { now: true })

    expect(report(await world.runtime.exportEvidence(examiner, first))).toMatchObject({
      consistency: { holds: true },
      outcome: { evidence: 'CONFIRMED', statusAgrees: true },
    })
    expect(report(await world.runtime.exportEvidence(examiner, second)).outcome.statusAgrees).toBe(true)
  })

  it('is of one moment, whatever happens while it is read', async () => {
    let between: (() => Promise<unknown>) | null = null
    const around: Around = async (name, call) => {
      const answer = await call()
      if (name === 'receipts' && between !== null) {
        const happening = between
        between = null
        await happening()
      }
      return answer
    }
    const world = await openOperators({ store, around })
    const ref = await unresolved(world)
    between = async () => world.runtime.settle(operator, ref, saying('occurred'))

    const bundle = await world.runtime.exportEvidence(examiner, ref)

    expect(bundle.status).toBe('verified')
    expect(report(bundle)).toMatchObject({ integrity: { holds: true }, consistency: { holds: true } })
  })

  it('is not made of many moments: a proposal that never stands still is not exported', async () => {
    let isRestless = false
    const around: Around = async (name, call) => {
      const answer = await call()
      if (isRestless && name === 'receipts') {
        await world.runtime.resume(operator, ref, { reason: 'again' })
        await world.runtime.reconcile(service, ref)
      }
      return answer
    }
    const world = await openOperators({ store, around })
    const ref = await unresolved(world)
    isRestless = true

    expect(await refused(world.runtime.exportEvidence(examiner, ref))).toMatchObject({ code: 'store_unavailable' })
    isRestless = false
    expect(await world.runtime.exportEvidence(examiner, ref)).toMatchObject({ proposal: ref })
  })

  it('names both operators in its receipts, with reason and evidence of each', async () => {
    const world = await openOperators({ store })
    const ref = await settledAs(world, 'did_not_occur')
    await world.runtime.settle(
      operator2,
      ref,
      saying('did_not_occur', { reason: 'bank_asked', evidenceReference: 'case-8' }),
    )

    const { receipts, settlement } = await world.runtime.exportEvidence(examiner, ref)

    expect(settlement).toMatchObject({ by: 'user:oscar', secondOperator: 'user:olivia' })
    expect(receipts.slice(-2).map(({ body }) => body)).toMatchObject([
      { participant: 'user:oscar', reason: 'statement_checked', externalReference: 'case-7' },
      { participant: 'user:olivia', reason: 'bank_asked', externalReference: 'case-8' },
    ])
    expect(receipts).toEqual(await world.bareStore.receipts(reference(TENANT), reference(ref)))
  })
})

async function verified(world: World): Promise<string> {
  const ref = await inDoubt(world)
  answering(world, found)
  await world.runtime.reconcile(operator, ref, { now: true })
  return ref
}

async function refusedInTime(world: World): Promise<string> {
  executing(world, refusing)
  const { proposal } = await approvedFor(world, 'refused vase')
  await world.runtime.execute(requester, proposal)
  return proposal
}

async function released(world: World): Promise<string> {
  const ref = await inDoubt(world)
  await world.clock.advance(SETTLED_MS)
  answering(world, goneForGood)
  await world.runtime.reconcile(service, ref)
  return ref
}

async function expiredAfterRelease(world: World): Promise<string> {
  const ref = await released(world)
  await world.clock.advance(2 * HOUR_MS)
  await world.runtime.expireDue(service)
  return ref
}

async function settledAs(world: World, verdict: Parameters<typeof saying>[0]): Promise<string> {
  const ref = await unresolved(world)
  await world.runtime.settle(operator, ref, saying(verdict))
  return ref
}

function report(bundle: unknown): EvidenceReport {
  const checked = verifyEvidence(bundle)
  if (checked.kind === 'malformed') throw new Error(JSON.stringify(checked.problems))
  return checked
}
