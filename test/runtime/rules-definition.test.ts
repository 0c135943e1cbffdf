// Rules R9, R10 and R11 through the runtime: which definition may run, what is shown, and what a confirmation needs.
import { describe, expect, it } from 'vitest'
import type { AnyAction } from '../../src/proposal/action.ts'
import { DefinitiveFailure } from '../../src/proposal/action.ts'
import { answering, openExecution, resendAfter, says } from './execution-world.ts'
import { answerOf, MINUTE_MS, STORES } from './harness.ts'
import { refund } from './refund.ts'
import { operator, requester } from './sessions.ts'
import { z } from 'zod'

const INTENT = 'the one under another definition'
const finance = { name: 'finance', count: 1, from: { role: 'finance-manager' } }

describe.each(STORES)('rule R9 on %s', (store) => {
  it.each<{ what: string; contract: Readonly<Record<string, unknown>> }>([
    { what: 'another revision', contract: { revision: 2 } },
    { what: 'another target', contract: { target: { name: 'bank', idempotent: { keyLifetime: '24h' } } } },
    { what: 'a target that forgets', contract: { target: { name: 'business-system', idempotent: false } } },
    { what: 'other facts', contract: { facts: ['/amount'] } },
    { what: 'other proofs', contract: { acceptProof: { failure: ['terminal', 'settled'] } } },
    { what: 'a resend', contract: resendAfter('terminal') },
    { what: 'less that is material', contract: { immaterial: ['/refunded'] } },
    { what: 'another policy', contract: { policy: { require: [{ ...finance, count: 2 }] } } },
    {
      what: 'another schema',
      contract: { schemas: { ...refund.schemas, result: z.strictObject({ refundId: z.string(), fee: z.int() }) } },
    },
  ])('rule R9, trace S19: under $what what was approved does not run', async ({ contract }) => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    const changed = world.actionWith(contract)
    const runtime = await world.open({ actions: [changed] })

    expect(await answerOf(runtime.execute(requester, proposal))).toBe('blocked definition_changed')
    expect([changed.calls.resolve, changed.calls.preview, changed.calls.execute]).toEqual([0, 0, 0])
    // The old definition comes back, and nothing was lost.
    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })

  it('rule R9, trace S19: a later version never runs what an earlier one was approved for', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    const next = world.actionWith({ type: 'example.payments/refund@2', verifies: [1] })
    const runtime = await world.open({ actions: [next] })

    expect(await answerOf(runtime.execute(requester, proposal))).toBe('blocked definition_changed')
    expect(next.calls.execute).toBe(0)
  })

  it('rule R9: an unchanged definition in another process runs it', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    const runtime = await world.open({ actions: [world.actionWith({})] as readonly AnyAction[] })

    expect((await runtime.execute(requester, proposal)).status).toBe('verification_pending')
  })

  it('design D1: another version finds the claim of the first one', async () => {
    const world = await openExecution({ store })
    await world.execute(await world.approved(INTENT))
    const next = world.actionWith({ type: 'example.payments/refund@2', verifies: [1] })
    const runtime = await world.open({ actions: [next] })
    const { proposal, commitment } = await runtime.prepare(requester, {
      ...world.input({ intent: INTENT }),
      action: next.contract.type,
    })
    const by = { ...requester, principal: { kind: 'user' as const, id: 'fay' }, roles: ['finance-manager'] }
    await runtime.approve(by, proposal, { commitment })

    expect(await answerOf(runtime.execute(requester, proposal))).toBe('replayed effect_in_flight_elsewhere')
    expect(next.calls.execute).toBe(0)
  })
})

describe.each(STORES)('rule R10 on %s', (store) => {
  it.each([
    { what: 'shows something else', preview: () => ({ title: 'Payout' }) },
    {
      what: 'throws',
      preview: () => {
        throw new Error('no template')
      },
    },
    { what: 'shows what its schema does not know', preview: () => ({ iban: 'DE12' }) },
  ])(
    'rule R10, trace S20: what is executed is what is shown now as then: a preview that $what blocks',
    async ({ preview }) => {
      const world = await openExecution({ store })
      const proposal = await world.approved(INTENT)
      const { preview: sound } = world.action.methods
      world.action.methods.preview = (snapshot) => ({ ...sound(snapshot), ...preview() })

      expect(await answerOf(world.execute(proposal))).toBe('blocked preview_differs')
      expect([world.action.calls.resolve, world.action.calls.execute]).toEqual([0, 0])
    },
  )

  it('rule R10: what is shown cannot depend on anything but the snapshot', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    const { preview } = world.action.methods
    // A picture of the account as it is today, which nobody committed to.
    world.action.methods.preview = (snapshot) => ({ ...preview(snapshot), title: `Refund by ${world.clock.now()}` })
    await world.clock.advance(1)

    expect(await answerOf(world.execute(proposal))).toBe('blocked preview_differs')
  })
})

describe.each(STORES)('rule R11 on %s', (store) => {
  const other = { amount: { amount: '50.00', currency: 'EUR' } }

  it('trace S28: a new owner is not verified by the late effect of the old one', async () => {
    const world = await openExecution({ store })
    const first = await world.approved(INTENT)
    const { execute } = world.action.methods
    world.action.methods.execute = () => Promise.reject(new DefinitiveFailure('card_expired'))
    await world.execute(first)
    world.action.methods.execute = execute
    const second = await world.approved(INTENT, other)
    await world.execute(second)
    const [attempt] = (await world.effect(second)).attempts
    // The target shows the 10.00 of the first, under its key; the second was approved for 50.00.
    world.action.methods.verify = answering(
      says.doneAs({
        identity: attempt?.idempotencyKey ?? '',
        facts: { '/orderReference': 'ORD-1001', '/amount': { amount: '10.00', currency: 'EUR' } },
      }),
    )
    await world.clock.advance(5_000)

    const answer = await world.reconcile(second)

    expect(answer).toMatchObject({ outcome: 'verification_unresolved', reason: 'effect_mismatch' })
  })

  it('trace S28: without facts nothing is verified, and a mismatch is not forgotten for it', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    const facts = { '/orderReference': 'ORD-1001', '/amount': { amount: '40.00', currency: 'EUR' } }
    world.action.methods.verify = answering(says.doneAs({ facts }), (input) => {
      const { facts: _, ...rest } = says.done(input) as { readonly facts: unknown }
      return rest as ReturnType<typeof says.done>
    })
    await world.clock.advance(5_000)
    expect((await world.reconcile(proposal)).reason).toBe('effect_mismatch')

    const again = await world.runtime.reconcile(operator, proposal, { now: true })

    expect([again.status, (await world.effect(proposal)).observations[1]?.verdict]).toEqual([
      'verification_unresolved',
      'UNKNOWN',
    ])
  })

  it('trace S10: a stored error of the target under the key is no proof, unless the adapter declares it', async () => {
    const world = await openExecution({ store, contract: { lifetime: '1d' } })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    world.action.methods.verify = answering(says.gone('key_consumed'))
    await world.clock.advance(5 * MINUTE_MS)

    expect((await world.reconcile(proposal)).status).toBe('verification_pending')
    expect((await world.effect(proposal)).observations[0]).toMatchObject({ proof: 'key_consumed', verdict: 'UNKNOWN' })
  })

  it('trace S10: a key that is consumed, where that counts as failure, lets nobody send again', async () => {
    const acceptProof = { failure: ['key_consumed'] }
    const world = await openExecution({ store, contract: { acceptProof, lifetime: '1d' } })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    world.action.methods.verify = answering(says.gone('key_consumed'))
    await world.clock.advance(5 * MINUTE_MS)
    expect((await world.reconcile(proposal)).outcome).toBe('failed_known')

    expect(await answerOf(world.execute(await world.approved(INTENT)))).toBe('blocked earlier_attempt')
    expect(world.log.executed).toHaveLength(1)
  })

  it('trace S27: two references over the attempts of one effect alarm, though it is verified', async () => {
    const world = await openExecution({ store, contract: resendAfter('settled') })
    const proposal = await world.approved(INTENT)
    world.action.methods.execute = async () => ({ status: 'accepted', externalReference: 'rf-1' })
    world.action.methods.verify = answering(says.gone('settled'))
    await world.execute(proposal)
    for (const _ of [1, 2]) {
      await world.clock.advance(5 * MINUTE_MS)
      await world.reconcile(proposal)
    }
    world.action.methods.execute = async () => ({ status: 'accepted', externalReference: 'rf-2' })
    await world.execute(proposal)
    world.action.methods.verify = answering(says.doneAs({ externalReference: 'rf-2' }))
    await world.clock.advance(5_000)

    const answer = await world.reconcile(proposal)

    expect([answer.status, answer.attention]).toEqual(['verified', ['duplicate_possible']])
  })
})
