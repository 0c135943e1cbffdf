// Reconcile: who may ask, when the target is asked, by whom and how often, and that it never calls an executor.
import { describe, expect, it } from 'vitest'
import { NotSent } from '../../src/proposal/action.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
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
import { answerOf, reference, refused, START, STORES, unsound } from './harness.ts'
import { operator, reader, requester, service, stranger, TENANT } from './sessions.ts'

const LEASE_MS = 60_000
const BOUNDARY_MS = 120_000

const threw: VerifierAnswer = () => {
  throw new Error('card 4111 of Carla')
}

interface Accepted {
  readonly world: ExecutionWorld
  readonly proposal: string
}

async function openAccepted(
  store: StoreName,
  options: Partial<Parameters<typeof openExecution>[0]> = {},
): Promise<Accepted> {
  const world = await openExecution({ store, ...options })
  const proposal = await world.approved('the one that is reconciled')
  await world.execute(proposal)
  return { world, proposal }
}

/** An attempt whose worker died during the call. */
async function openDead(
  store: StoreName,
  options: Partial<Parameters<typeof openExecution>[0]> = {},
): Promise<Accepted> {
  const world = await openExecution({ store, ...options })
  const proposal = await world.approved('the one whose worker died')
  const dead = await frozenRuntime(world)
  const { execute } = world.action.methods
  world.action.methods.execute = hanging()
  await underWay(world, dead.runtime.execute(requester, proposal))
  expect((await world.stored(proposal)).proposal.status).toBe('executing')
  world.action.methods.execute = execute
  return { world, proposal }
}

describe.each(STORES)('lifecycle 7 on %s', (store) => {
  it.each([
    { who: 'a stranger', by: stranger, answer: 'not_found' },
    { who: 'a reader', by: reader, answer: 'not_permitted' },
    { who: 'the service', by: service, answer: 'verified' },
    { who: 'an operator', by: operator, answer: 'verified' },
  ])('answers $who with $answer', async ({ by, answer }) => {
    const { world, proposal } = await openAccepted(store)
    await world.clock.advance(5_000)

    expect(await answerOf(world.runtime.reconcile(by, proposal))).toBe(answer)
    expect(world.action.calls.verify).toBe(answer === 'verified' ? 1 : 0)
  })

  it.each<{ readonly what: string; readonly verify: VerifierAnswer; readonly reason: string }>([
    { what: 'threw', verify: threw, reason: 'verifier_threw' },
    { what: 'answered something else', verify: () => unsound('done'), reason: 'malformed_answer' },
    { what: 'named another key', verify: says.doneAs({ identity: unsound('another') }), reason: 'identity_mismatch' },
    { what: 'left a fact out', verify: says.doneAs({ facts: unsound({}) }), reason: 'fact_missing' },
  ])('says so when the verifier $what', async ({ verify, reason }) => {
    const { world, proposal } = await openAccepted(store)
    world.action.methods.verify = answering(verify)
    await world.clock.advance(5_000)

    const { outcome, reason: said } = await world.runtime.reconcile(service, proposal)

    expect([outcome, said]).toEqual(['verification_pending', reason])
  })

  it('asks nothing about a proposal that has made no attempt', async () => {
    const { world } = await openAccepted(store)
    const rival = await world.approved('the one that is reconciled')
    const waiting = (await world.prepared()).proposal
    await world.clock.advance(5_000)

    expect(await answerOf(world.reconcile(rival))).toBe('approved')
    expect(await answerOf(world.reconcile(waiting))).toBe('approval_pending')
    expect(world.action.calls.verify).toBe(0)
  })

  it('waits until it is due, and says until when', async () => {
    const { world, proposal } = await openAccepted(store)
    await world.clock.advance(4_999)

    const early = await world.reconcile(proposal)

    expect(early).toMatchObject({ outcome: 'verification_pending', nextStep: 'wait', waitUntil: START + 5_000 })
    expect(world.action.calls.verify).toBe(0)
    await world.clock.advance(1)
    expect((await world.reconcile(proposal)).outcome).toBe('verified')
  })

  it('an operator brings it forward, and nobody else does', async () => {
    const { world, proposal } = await openAccepted(store)

    expect((await world.runtime.reconcile(service, proposal, { now: true })).outcome).toBe('verification_pending')
    expect((await world.runtime.reconcile(operator, proposal)).outcome).toBe('verification_pending')
    expect(world.action.calls.verify).toBe(0)
    expect((await world.runtime.reconcile(operator, proposal, { now: true })).outcome).toBe('verified')
  })

  it('asks nothing once nothing is due', async () => {
    const { world, proposal } = await openAccepted(store)
    await world.clock.advance(5_000)
    await world.reconcile(proposal)
    await world.clock.advance(24 * 3_600_000)

    expect(await world.reconcile(proposal)).toMatchObject({ outcome: 'verified', nextStep: 'none' })
    expect(world.action.calls.verify).toBe(1)
  })

  it('never calls an executor, whatever it finds', async () => {
    const { world, proposal } = await openDead(store, { contract: resendAfter('terminal') })
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.clock.advance(BOUNDARY_MS)

    expect((await world.reconcile(proposal)).outcome).toBe('resend_allowed')
    for (const _ of [1, 2, 3]) await world.reconcile(proposal)
    expect(world.action.calls.execute).toBe(1)
  })

  it('is in progress while the lease lasts, to the millisecond, for an operator too', async () => {
    const { world, proposal } = await openDead(store)
    await world.clock.advance(LEASE_MS - 1)

    expect(await answerOf(world.runtime.reconcile(operator, proposal, { now: true }))).toBe('in_progress')
    expect(await world.reconcile(proposal)).toMatchObject({ nextStep: 'wait', waitUntil: START + LEASE_MS })
    expect(world.action.calls.verify).toBe(0)
    await world.clock.advance(1)
    expect((await world.reconcile(proposal)).outcome).toBe('verification_pending')
    expect(world.action.calls.verify).toBe(1)
  })

  it('raises the fence before the target is asked, and says so', async () => {
    const { world, proposal } = await openDead(store)
    let seen: unknown = null
    world.action.methods.verify = async (input) => {
      const { epoch, attempts } = await world.effect(proposal)
      seen = { told: input.epoch, epoch, ending: attempts[0]?.ending?.kind }
      return says.absent(input)
    }
    await world.clock.advance(LEASE_MS)

    await world.reconcile(proposal)

    expect(seen).toEqual({ told: 2, epoch: 2, ending: 'lease_lapsed' })
    const chain = await world.bareStore.receipts(reference(TENANT), reference(proposal))
    expect(chain.slice(2).map(({ body }) => [body?.type, body?.status])).toEqual([
      ['execution.started', 'executing'],
      ['operation.lease_lapsed', 'verification_pending'],
      ['verification.provisional_absence', 'verification_pending'],
    ])
  })

  it('a former owner that asks lets the lease of the present owner lapse, with its receipt', async () => {
    const world = await openExecution({ store })
    const former = await world.approved('the one that two tried')
    const { execute } = world.action.methods
    world.action.methods.execute = () => Promise.reject(new NotSent('pool_exhausted'))
    await world.execute(former)
    const owner = await world.approved('the one that two tried')
    const dead = await frozenRuntime(world)
    world.action.methods.execute = hanging()
    await underWay(world, dead.runtime.execute(requester, owner))
    world.action.methods.execute = execute
    await world.clock.advance(LEASE_MS)
    const before = await world.receipts(former)

    expect(await answerOf(world.reconcile(former))).toBe('approved')

    expect((await world.stored(owner)).proposal.status).toBe('verification_pending')
    expect((await world.receipts(owner)).slice(2)).toEqual([
      'execution.started',
      'operation.lease_lapsed',
      'verification.provisional_absence',
    ])
    expect(await world.receipts(former)).toEqual(before)
  })

  it('asks with everything that a verifier may need', async () => {
    const { world, proposal } = await openAccepted(store)
    await world.clock.advance(5_000)

    await world.reconcile(proposal)

    const { key, attempts } = await world.effect(proposal)
    expect(world.log.verified[0]?.input).toMatchObject({
      idempotencyKeys: attempts.map(({ idempotencyKey }) => idempotencyKey),
      semanticEffectReference: key.reference,
      snapshot: { orderReference: 'ORD-1001', orderVersion: 7, customer: 'Carla Customer' },
      attempts: 1,
      covers: { from: 1, to: 1 },
      epoch: 1,
      context: { tenant: 'acme', proposal, requester: requester.principal, agent: null },
    })
    expect(world.log.verified[0]?.input.signal.aborted).toBe(false)
  })
})

describe.each(STORES)('fence and cancel on %s', (store) => {
  const kinds = ['fenced', 'cancelled'] as const
  const method = { fenced: 'fence', cancelled: 'cancel' } as const

  it.each(kinds)(
    'trace S9: %s counts with the acknowledgement of the target, got once, before it was read',
    async (kind) => {
      const means = method[kind]
      const order: string[] = []
      const { world, proposal } = await openDead(store, {
        contract: { acceptProof: { failure: [kind] }, lifetime: '1d' },
        methods: {
          [means]: async (input: { readonly epoch: number; readonly idempotencyKeys: readonly string[] }) => {
            order.push(`${means} ${input.epoch} ${input.idempotencyKeys.length}`)
            return { acknowledged: true, externalReference: 'ack-1' }
          },
        },
      })
      world.action.methods.verify = async (input) => {
        order.push('verify')
        return says.gone(kind)(input)
      }
      await world.clock.advance(LEASE_MS)
      await world.reconcile(proposal)
      await world.clock.advance(BOUNDARY_MS)
      await world.reconcile(proposal)

      expect(order).toEqual([`${means} 2 1`, 'verify', 'verify'])
      const { observations } = await world.effect(proposal)
      expect(observations[0]).toMatchObject({
        source: means,
        answer: 'acknowledged',
        verdict: 'UNKNOWN',
        covers: { from: 1, to: 1 },
        externalReference: 'ack-1',
      })
      expect((await world.stored(proposal)).proposal.status).toBe('failed_known')
    },
  )

  it.each([
    { ack: 'is refused', answer: async () => ({ acknowledged: false }) },
    { ack: 'is nearly given', answer: async () => ({ acknowledged: 'true' }) },
    { ack: 'is nothing', answer: async () => null },
    { ack: 'throws', answer: () => Promise.reject(new Error('down')) },
    { ack: 'never comes', answer: () => new Promise(() => {}) },
  ])('trace S9: an acknowledgement that $ack is none, and the absence proves nothing', async ({ answer }) => {
    const methods = { fence: answer } as Parameters<ExecutionWorld['actionWith']>[1] & object
    const { world, proposal } = await openDead(store, {
      contract: { acceptProof: { failure: ['fenced'] }, lifetime: '1d' },
      methods,
    })
    world.action.methods.verify = answering(says.gone('fenced'))
    await world.clock.advance(BOUNDARY_MS)

    const first = world.reconcile(proposal)
    await world.clock.advance(10_000)
    await first
    await world.clock.advance(BOUNDARY_MS)
    await world.reconcile(proposal)

    const { observations } = await world.effect(proposal)
    expect(observations[0]).toMatchObject({ source: 'fence', answer: 'not_acknowledged' })
    expect(observations.slice(1).map(({ verdict }) => verdict)).toEqual(['UNKNOWN', 'UNKNOWN'])
    expect((await world.stored(proposal)).proposal.status).toBe('verification_pending')
    expect(world.action.calls.fence).toBe(1)
  })

  it('trace S9: an acknowledgement covers the attempts that had started, and a later one needs its own', async () => {
    const fence = async (): Promise<{ acknowledged: boolean }> => ({ acknowledged: true })
    const { world, proposal } = await openDead(store, {
      contract: { acceptProof: { failure: ['fenced', 'terminal'], resend: ['fenced'] }, lifetime: '1d' },
      methods: { fence },
    })
    world.action.methods.verify = answering(says.gone('fenced'))
    await world.clock.advance(BOUNDARY_MS)
    expect((await world.reconcile(proposal)).outcome).toBe('resend_allowed')
    const dead = await frozenRuntime(world)
    world.action.methods.execute = hanging()
    await underWay(world, dead.runtime.execute(requester, proposal))
    expect((await world.effect(proposal)).attempts).toHaveLength(2)
    await world.clock.advance(BOUNDARY_MS)

    await world.reconcile(proposal)

    const fences = (await world.effect(proposal)).observations.filter(({ source }) => source === 'fence')
    expect(fences.map(({ covers }) => covers)).toEqual([
      { from: 1, to: 1 },
      { from: 1, to: 2 },
    ])
  })

  it('a call that was answered in its lease is neither fenced nor cancelled', async () => {
    const { world, proposal } = await openAccepted(store, {
      methods: { fence: async () => ({ acknowledged: true }), cancel: async () => ({ acknowledged: true }) },
    })
    await world.clock.advance(5_000)
    await world.reconcile(proposal)

    expect([world.action.calls.fence, world.action.calls.cancel]).toEqual([0, 0])
  })
})

describe.each(STORES)('the lease on verification on %s', (store) => {
  it('invariant I17: of two runtimes on one store only one asks, and of two calls to one runtime as well', async () => {
    const { world, proposal } = await openAccepted(store)
    const other = await world.open()
    await world.clock.advance(60_000)

    const answers = await Promise.all(
      [world.runtime, other, world.runtime, other].map((runtime) => runtime.reconcile(service, proposal)),
    )

    expect(world.action.calls.verify).toBe(1)
    expect(answers.map(({ outcome }) => outcome).filter((outcome) => outcome === 'verified').length).toBeGreaterThan(0)
    expect((await world.effect(proposal)).observations).toHaveLength(1)
  })

  it('another runtime takes over from one that died while it asked', async () => {
    // The dead one never gets its answer, so that two reads overlap as far as the log can tell.
    const { world, proposal } = await openAccepted(store, { except: ['I17'] })
    const dead = await frozenRuntime(world)
    dead.thaw()
    await world.clock.advance(60_000)
    dead.thaw()
    const { verify } = world.action.methods
    world.action.methods.verify = () => new Promise(() => {})
    await underWay(world, dead.runtime.reconcile(service, proposal))
    world.action.methods.verify = verify

    expect((await world.reconcile(proposal)).outcome).toBe('verification_pending')
    expect(world.action.calls.verify).toBe(1)
    await world.clock.advance(35_000)
    expect((await world.reconcile(proposal)).outcome).toBe('verified')
  })
})

describe.each(STORES)('rule R9 in reconciliation on %s', (store) => {
  it('rule R9: a definition that lists the version verifies what the older one did', async () => {
    const { world, proposal } = await openAccepted(store)
    const next = world.actionWith({ type: 'example.payments/refund@2', verifies: [1] })
    const runtime = await world.open({ actions: [next] })
    next.methods.verify = answering(says.done)
    await world.clock.advance(60_000)

    expect((await runtime.reconcile(service, proposal)).outcome).toBe('verified')
    expect([next.calls.verify, world.action.calls.verify]).toEqual([1, 0])
  })

  it('rule R9, trace S40: without one a person is asked at once, and nothing is due any more', async () => {
    const { world, proposal } = await openAccepted(store)
    const next = world.actionWith({ type: 'example.payments/refund@2' })
    const runtime = await world.open({ actions: [next] })
    await world.clock.advance(60_000)

    const answer = await runtime.reconcile(service, proposal)

    expect(answer).toMatchObject({
      outcome: 'verification_unresolved',
      reason: 'definition_missing',
      nextStep: 'operator',
    })
    expect((await world.effect(proposal)).verifyDueAt).toBeNull()
    expect(await answerOf(runtime.reconcile(service, proposal))).toBe('verification_unresolved')
    expect((await world.receipts(proposal)).filter((type) => type === 'verification.unresolved')).toHaveLength(1)
    // The old definition comes back, and an operator has it looked at.
    expect((await world.runtime.reconcile(operator, proposal, { now: true })).outcome).toBe('verified')
  })

  it('rule R18: a slow probe that nobody can make is due no more', async () => {
    const { world, proposal } = await openAccepted(store, {
      contract: { verification: { absences: 1 }, lifetime: '9d' },
    })
    world.action.methods.verify = answering(says.absent)
    await world.clock.advance(BOUNDARY_MS)
    await world.reconcile(proposal)
    const runtime = await world.open({ actions: [world.actionWith({ type: 'example.payments/refund@2' })] })
    await world.clock.advance(24 * 3_600_000)

    expect(await answerOf(runtime.reconcile(service, proposal))).toBe('verification_unresolved definition_missing')
    expect((await world.effect(proposal)).verifyDueAt).toBeNull()
  })

  it.each([
    { key: 'denied', answer: 'blocked content_unavailable', status: 'verification_pending' },
    { key: 'unavailable', answer: 'blocked content_unavailable', status: 'verification_pending' },
    { key: 'missing', answer: 'verification_unresolved content_unavailable', status: 'verification_unresolved' },
    { key: 'damaged', answer: 'verification_unresolved content_unavailable', status: 'verification_unresolved' },
  ] as const)('invariant I28, trace S40: with a key that is $key it is $answer', async ({ key, answer, status }) => {
    const sound = ephemeralKeyring()
    let isSpoilt = false
    const resolve: typeof sound.resolve = async (version) => {
      if (!isSpoilt) return sound.resolve(version)
      if (key === 'missing') return null
      throw new KeyUnavailable(key)
    }
    const { world, proposal } = await openAccepted(store, { keyring: { ...sound, resolve } })
    await world.clock.advance(60_000)
    isSpoilt = true

    expect(await answerOf(world.reconcile(proposal))).toBe(answer)

    expect((await world.stored(proposal)).proposal.status).toBe(status)
    expect(world.action.calls.verify).toBe(0)
    isSpoilt = false
    await world.clock.advance(60_000)
    const when = status === 'verification_unresolved' ? { now: true } : {}
    expect((await world.runtime.reconcile(operator, proposal, when)).outcome).toBe('verified')
  })
})

describe.each(STORES)('faults of the store while reconciling on %s', (store) => {
  it.each(['refused', 'lost', 'lost_before'] as const)(
    'evidence P13: an answer whose storing is %s is kept once',
    async (fault) => {
      const { world, proposal } = await openAccepted(store)
      await world.clock.advance(5_000)
      // The lease is this runtime's own after its call, so that the first change is the observation.
      world.faults.at(1, fault)

      expect((await world.reconcile(proposal)).outcome).toBe('verified')
      expect((await world.effect(proposal)).observations).toHaveLength(1)
      expect((await world.receipts(proposal)).filter((type) => type.startsWith('verification.'))).toHaveLength(1)
    },
  )

  it('an answer that stays unstored is told, and the target is simply asked again', async () => {
    const { world, proposal } = await openAccepted(store)
    await world.clock.advance(5_000)
    for (const nth of [1, 2, 3]) world.faults.at(nth, 'refused')

    expect(await refused(world.reconcile(proposal))).toMatchObject({ code: 'store_unavailable' })
    expect((await world.effect(proposal)).observations).toHaveLength(0)
    expect((await world.reconcile(proposal)).outcome).toBe('verified')
    expect(world.action.calls.verify).toBe(2)
  })

  it.each(['refused', 'lost', 'lost_before'] as const)(
    'a lapse that is %s is made again by whoever asks next',
    async (fault) => {
      const { world, proposal } = await openDead(store)
      await world.clock.advance(LEASE_MS)
      world.faults.at(1, fault)

      await answerOf(world.reconcile(proposal))
      expect(world.action.calls.verify).toBe(0)
      await world.reconcile(proposal)

      const { attempts, epoch } = await world.effect(proposal)
      expect([attempts[0]?.ending?.kind, epoch]).toEqual(['lease_lapsed', 2])
      expect(world.action.calls.verify).toBe(1)
    },
  )
})
