// Looking again: with an earlier attempt behind an effect, nothing is called before the target was asked once more (rules R1).
import { describe, expect, it } from 'vitest'
import { withObserved } from '../../src/effect/effect-changes.ts'
import { DefinitiveFailure, type Executed, NotSent } from '../../src/proposal/action.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import type { Keyring } from '../../src/runtime/ports.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import { effectWrite } from '../../src/runtime/effect-write.ts'
import {
  answering,
  type ExecutionWorld,
  frozenRuntime,
  hanging,
  openExecution,
  resendAfter,
  says,
  underWay,
  type VerifierAnswer,
} from './execution-world.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { answerOf, HOUR_MS, MINUTE_MS, STORES } from './harness.ts'
import type { Refund } from './refund.ts'
import { requester } from './sessions.ts'

const INTENT = 'the one that was tried before'
const PAST_BOUNDARY_MS = 5 * MINUTE_MS

/** How the first attempt was closed. */
const closings = {
  'its own word': async (world: ExecutionWorld, proposal: string) => {
    world.action.methods.execute = () => Promise.reject(new NotSent('pool_exhausted'))
    await world.execute(proposal)
  },
  'proven absence': async (world: ExecutionWorld, proposal: string) => {
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    await world.execute(proposal)
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.clock.advance(PAST_BOUNDARY_MS)
    expect((await world.reconcile(proposal)).outcome).toBe('resend_allowed')
  },
} as const

async function openTried(
  store: StoreName,
  closing: keyof typeof closings,
  contract: Readonly<Record<string, unknown>> = {},
): Promise<{ world: ExecutionWorld; proposal: string; rival: () => Promise<string> }> {
  const world = await openExecution({ store, contract: { ...resendAfter('terminal'), ...contract } })
  const proposal = await world.approved(INTENT)
  const { execute } = world.action.methods
  await closings[closing](world, proposal)
  world.action.methods.execute = execute
  // Approved after the first attempt was closed.
  return { world, proposal, rival: () => world.approved(INTENT) }
}

/** What the read says, and what follows for the owner's own execution and for another proposal's. */
interface Row {
  readonly read: string
  readonly verify: VerifierAnswer
  readonly own: string
  readonly rival: string
  readonly ownerAfterRival?: string
}

const CALLED = 'verification_pending'
const BLOCKED = 'blocked earlier_attempt'

const ownWord: readonly Row[] = [
  { read: 'a provisional absence', verify: says.absent, own: CALLED, rival: CALLED },
  { read: 'a final absence', verify: says.gone('settled'), own: CALLED, rival: CALLED },
  { read: 'a refusal on record', verify: says.refused(1), own: CALLED, rival: CALLED },
  { read: 'an outage', verify: says.unavailable, own: BLOCKED, rival: BLOCKED },
  {
    read: 'an absence of other keys',
    verify: () => ({ status: 'provisional_absence', identity: ['ik_other'] }),
    own: BLOCKED,
    rival: BLOCKED,
  },
  {
    read: 'a throw',
    verify: () => {
      throw new Error('down')
    },
    own: BLOCKED,
    rival: BLOCKED,
  },
  {
    read: 'the effect',
    verify: says.done,
    own: 'verification_unresolved conflicting_evidence',
    rival: BLOCKED,
    ownerAfterRival: 'verification_unresolved',
  },
  {
    read: 'an effect with other facts',
    verify: says.doneAs({ facts: { '/orderReference': 'ORD-9', '/amount': { amount: '1.00', currency: 'EUR' } } }),
    own: 'verification_unresolved effect_mismatch',
    rival: BLOCKED,
    ownerAfterRival: 'verification_unresolved',
  },
]

const byAbsence: readonly Row[] = [
  { read: 'a provisional absence', verify: says.absent, own: BLOCKED, rival: BLOCKED },
  { read: 'a final absence of a kind for resend', verify: says.gone('terminal'), own: CALLED, rival: CALLED },
  { read: 'a final absence of another kind', verify: says.gone('settled'), own: BLOCKED, rival: BLOCKED },
  // That the target finished it without effect is the proof `terminal`, whichever way it is told.
  { read: 'a refusal on record', verify: says.refused(1), own: CALLED, rival: CALLED },
  { read: 'an outage', verify: says.unavailable, own: BLOCKED, rival: BLOCKED },
  {
    read: 'the effect',
    verify: says.done,
    own: 'verification_unresolved conflicting_evidence',
    rival: BLOCKED,
    ownerAfterRival: 'verification_unresolved',
  },
  {
    read: 'two of them',
    verify: says.doneAs({ matches: 2 }),
    own: 'verification_unresolved duplicate_effect',
    rival: BLOCKED,
    ownerAfterRival: 'verification_unresolved',
  },
]

const rows = [
  ...ownWord.map((row) => ({ ...row, closing: 'its own word' as const })),
  ...byAbsence.map((row) => ({ ...row, closing: 'proven absence' as const })),
]

describe.each(STORES)('rule R1 on %s', (store) => {
  it.each(rows)('rule R1: closed by $closing, then the target shows $read: $own', async ({ closing, verify, own }) => {
    const { world, proposal } = await openTried(store, closing)
    const { execute } = world.action.calls
    const before = (await world.effect(proposal)).observations.length
    world.action.methods.verify = answering(verify)

    expect(await answerOf(world.execute(proposal))).toBe(own)
    expect(world.action.calls.execute - execute).toBe(own === CALLED ? 1 : 0)
    // One read, appended, whatever came of it.
    expect((await world.effect(proposal)).observations).toHaveLength(before + 1)
  })

  it.each(rows)('rule R1: closed by $closing, another proposal meets $read: $rival', async (row) => {
    const { world, proposal, rival } = await openTried(store, row.closing)
    const claimant = await rival()
    const { execute } = world.action.calls
    world.action.methods.verify = answering(row.verify)

    expect(await answerOf(world.execute(claimant))).toBe(row.rival)
    expect(world.action.calls.execute - execute).toBe(row.rival === CALLED ? 1 : 0)

    expect((await world.stored(proposal)).proposal.status).toBe(row.ownerAfterRival ?? 'approved')
    expect((await world.effect(proposal)).owner).toBe(row.rival === CALLED ? claimant : proposal)
  })

  it('rule R1: the read begins after the resolution of this execution, and asks for every generation', async () => {
    const { world, proposal } = await openTried(store, 'proven absence')

    await world.execute(proposal)

    const resolved = world.log.resolved.at(-1)
    const read = world.log.verified.at(-1)
    const { attempts } = await world.effect(proposal)
    expect(read?.began).toBeGreaterThan(resolved?.began ?? Number.POSITIVE_INFINITY)
    expect(read?.input).toMatchObject({ covers: { from: 1, to: 1 }, attempts: 1 })
    expect(read?.input.idempotencyKeys).toEqual([attempts[0]?.idempotencyKey])
  })

  it('rule R1: a read that somebody else made just before does not stand in for it', async () => {
    const { world, proposal } = await openTried(store, 'proven absence')
    const { verify } = world.action.calls

    await world.execute(proposal)

    expect(world.action.calls.verify).toBe(verify + 1)
  })

  it('rule R1: the claimant that does not own the effect is blocked, and the owner follows what was seen', async () => {
    const { world, proposal, rival } = await openTried(store, 'its own word')
    const claimant = await rival()
    world.action.methods.verify = answering(says.done)

    expect(await answerOf(world.execute(claimant))).toBe(BLOCKED)

    expect((await world.stored(proposal)).proposal.status).toBe('verification_unresolved')
    expect((await world.stored(claimant)).proposal).toMatchObject({ status: 'approved', blockedBy: 'earlier_attempt' })
  })

  it('rule R2: what becomes known between the look and the admission stops it, trace S26', async () => {
    const { world, proposal } = await openTried(store, 'proven absence')
    const { can } = world.action.methods
    let isHeard = false
    world.action.methods.can = async (act, caller, view) => {
      if (act === 'execute' && view.snapshot !== null && !isHeard) {
        isHeard = true
        // Another process finds it while the rights are asked for.
        world.action.methods.verify = answering(says.done)
        const other = await world.open()
        await other.reconcile({ ...requester, roles: ['operator'] }, proposal, { now: true })
      }
      return can(act, caller, view)
    }

    expect(await answerOf(world.execute(proposal))).toBe('verification_unresolved')
    expect(world.log.executed).toHaveLength(1)
  })

  it('trace S1: a confirmation on record stops a resend though its owner is still approved', async () => {
    const { world, proposal } = await openTried(store, 'proven absence')
    // The evidence is stored, and the process dies before the status follows (rules R3).
    await confirmAlone(world, proposal)
    expect((await world.stored(proposal)).proposal.status).toBe('approved')

    expect(await answerOf(world.execute(proposal))).toBe('verification_unresolved conflicting_evidence')
    expect(world.log.executed).toHaveLength(1)
  })

  it('design D10: a resend goes back through approvals, drift, rights and the budget of attempts', async () => {
    const { world, proposal } = await openTried(store, 'proven absence', { attemptsMax: 2, lifetime: '1d' })
    const again = { ...(await world.stored(proposal)).proposal }
    expect(again.status).toBe('approved')
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => act !== 'decide' && can(act, caller, view)
    expect(await answerOf(world.execute(proposal))).toBe('blocked not_permitted')
    world.action.methods.can = can
    world.action.methods.execute = () => Promise.reject(new NotSent('pool_exhausted'))
    await world.execute(proposal)

    expect(await answerOf(world.execute(proposal))).toBe('blocked attempts_spent')
  })

  it('rule R5: a resend whose key the target forgets before it could land is not made', async () => {
    const { world, proposal } = await openTried(store, 'its own word', {
      acceptProof: { failure: ['terminal', 'settled'], resend: ['settled'] },
      lifetime: '3d',
    })
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    world.action.methods.verify = answering(says.gone('settled'))
    await world.execute(proposal)
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(proposal)
    await world.clock.advance(PAST_BOUNDARY_MS)
    expect((await world.reconcile(proposal)).outcome).toBe('resend_allowed')
    const startedAt = (await world.effect(proposal)).attempts[1]?.startedAt ?? 0
    const { can } = world.action.methods
    // It is remembered while the target is asked, and no longer when the rights have been asked for.
    const forgottenAt = startedAt + 24 * HOUR_MS - 30_000 - 60_000
    await world.clock.advance(forgottenAt - world.clock.now())
    world.action.methods.can = (act, caller, view) => {
      if (act === 'execute' && view.snapshot !== null) world.clock.setWall(forgottenAt + 1)
      return can(act, caller, view)
    }

    expect(await answerOf(world.execute(proposal))).toBe('blocked key_lifetime_over')
    world.action.methods.can = can
    expect(await answerOf(world.execute(proposal))).toBe(BLOCKED)
    expect(world.log.executed).toHaveLength(2)
  })

  it('without a definition that may verify the earlier attempt nothing is called', async () => {
    const { world, proposal } = await openTried(store, 'its own word')
    const next = world.actionWith({ ...resendAfter('terminal'), type: 'example.payments/refund@2' })
    const runtime = await world.open({ actions: [next] })
    const input = { ...world.input({ intent: INTENT }), action: next.contract.type }
    const { proposal: claimant, commitment } = await runtime.prepare(requester, input)
    await runtime.approve(
      { ...requester, principal: { kind: 'user', id: 'fay' }, roles: ['finance-manager'] },
      claimant,
      {
        commitment,
      },
    )

    expect(await answerOf(runtime.execute(requester, claimant))).toBe(BLOCKED)
    expect((await world.stored(proposal)).proposal.status).toBe('approved')
    expect(world.log.verified).toHaveLength(0)
  })

  it('a definition that verifies the older version may clear what the older one tried', async () => {
    const { world } = await openTried(store, 'its own word')
    const next = world.actionWith({ ...resendAfter('terminal'), type: 'example.payments/refund@2', verifies: [1] })
    const runtime = await world.open({ actions: [next] })
    const input = { ...world.input({ intent: INTENT }), action: next.contract.type }
    const { proposal: claimant, commitment } = await runtime.prepare(requester, input)
    await runtime.approve(
      { ...requester, principal: { kind: 'user', id: 'fay' }, roles: ['finance-manager'] },
      claimant,
      {
        commitment,
      },
    )

    expect((await runtime.execute(requester, claimant)).status).toBe(CALLED)
    expect(next.calls.verify).toBe(1)
  })

  it('two that look again at the same time make one call', async () => {
    // Each of them must read after its own resolution, so here two reads may overlap.
    const world = await openExecution({ store, except: ['I17'] })
    const proposal = await world.approved(INTENT)
    const { execute } = world.action.methods
    await closings['its own word'](world, proposal)
    world.action.methods.execute = execute

    const answers = await Promise.all([answerOf(world.execute(proposal)), answerOf(world.execute(proposal))])

    expect(world.log.executed).toHaveLength(2)
    expect(answers).toContain(CALLED)
  })

  it('rule R1: while the content of the owner cannot be opened, its effect cannot be asked about, and nothing is called', async () => {
    const sound = ephemeralKeyring()
    let denied = ''
    const resolve: Keyring['resolve'] = async (version) => {
      const key = await sound.resolve(version)
      if (key === null || denied === '') return key
      const unwrap: typeof key.unwrap = (wrapped, context) =>
        Buffer.from(context).includes(denied)
          ? Promise.reject(new KeyUnavailable('denied'))
          : key.unwrap(wrapped, context)
      return { version: key.version, wrap: (...input) => key.wrap(...input), unwrap }
    }
    const world = await openExecution({ store, keyring: { ...sound, resolve } })
    const owner = await world.approved(INTENT)
    await closings['its own word'](world, owner)
    const claimant = await world.approved(INTENT)
    denied = owner

    expect(await answerOf(world.execute(claimant))).toBe(BLOCKED)
    expect(world.action.calls.verify).toBe(0)
  })

  it('a call that is under way elsewhere is not looked at', async () => {
    const { world, rival, proposal } = await openTried(store, 'its own word')
    const claimant = await rival()
    world.action.methods.execute = hanging()
    await underWay(world, world.execute(claimant))
    const { verify } = world.action.calls

    expect(await answerOf(world.execute(proposal))).toBe('replayed effect_in_flight_elsewhere')
    expect(world.action.calls.verify).toBe(verify)
  })

  it('trace S5: a refusal that names the first attempt does not close the second', async () => {
    const { world, proposal, rival } = await openTried(store, 'its own word')
    world.action.methods.execute = () => Promise.reject(new DefinitiveFailure('card_expired'))
    await world.execute(proposal)
    const claimant = await rival()
    const zombie = await frozenRuntime(world)
    const { promise } = Promise.withResolvers<Executed<Refund>>()
    world.action.methods.execute = () => promise
    await underWay(world, zombie.runtime.execute(requester, claimant))
    await world.clock.advance(60_000)
    world.action.methods.verify = answering(says.refused(2))
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(claimant)

    expect((await world.effect(claimant)).attempts).toHaveLength(3)
    expect((await world.stored(claimant)).proposal.status).toBe('verification_pending')
    expect(await answerOf(world.execute(await rival()))).toBe('replayed effect_in_flight_elsewhere')
  })
})

/** Stores a confirmation of the first attempt, and nothing about any proposal. */
async function confirmAlone(world: ExecutionWorld, proposal: string): Promise<void> {
  const effect = await world.effect(proposal)
  const [absence] = effect.observations
  if (absence === undefined) throw new Error('its absence was proven')
  const seen = { ...absence, answer: 'verified_completion', verdict: 'CONFIRMED', proof: null, matches: 1 } as const
  const observed = withObserved(effect, seen)
  const observation = { ...seen, sequence: observed.observations.length }
  await world.bareStore.commit({
    changeId: `a confirmation of ${proposal}`,
    tenant: effect.key.tenant,
    notAfter: null,
    notBefore: null,
    proposals: [],
    effect: effectWrite(observed, effect.version, { observed: { observation, facts: null, sealedFor: null } }),
    call: null,
    approvals: [],
    receipts: [],
    events: [],
  })
}
