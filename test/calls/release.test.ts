// Table U: a claim is released where nothing was started, and nowhere else.
import { describe, expect, it } from 'vitest'
import { ActionClaimLostError, ActionNotFoundError, ActionStartedError } from '../../src/effect/calls/action-error.ts'
import { charge, errorOf, fencedAbsence, never, openBench } from './bench.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'
import { stranded, unstarted } from './stranded.ts'

describe.each(EVERY_STORE)('a release on %s', (store) => {
  it('evidence U1 of what was never started frees the key, also for another request', async () => {
    const bench = await openBench(store)
    const actionId = await unstarted(bench)

    await bench.another().releaseUnstarted(actionId)

    expect(await bench.runner.find('charge', 'order-123')).toBeNull()
    const again = await bench.runner.execute('charge', () => 1, charge({ request: { amountCents: 1 } }))
    expect(again).toMatchObject({ status: 'CONFIRMED', replayed: false })
    expect(again.receipt.actionId).not.toBe(actionId)
  })

  it('evidence U2 U3 of what was started is refused', async () => {
    const bench = await openBench(store)
    const actionId = await stranded(bench)

    const pending = await errorOf(bench.runner.releaseUnstarted(actionId))
    await bench.runner.recoverPending(actionId, fencedAbsence)
    const completed = await errorOf(bench.runner.releaseUnstarted(actionId))

    expect(pending).toBeInstanceOf(ActionStartedError)
    expect(pending).toMatchObject({ code: 'action_started', nextStep: 'recover_pending' })
    expect(completed).toMatchObject({ code: 'action_started', nextStep: 'reconcile' })
    expect(await bench.runner.receipt(actionId)).toMatchObject({ finalStatus: 'FAILED' })
  })

  it('evidence U4 races with the start, and one of the two wins, round after round', async () => {
    const rounds = { memory: 1_000, sqlite: 100, postgres: 20 }[store]
    const bench = await openBench(store)
    const won = { start: 0, release: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const idempotencyKey = `order-${round}`
      bench.faults.atStep('start_attempt', 'refused')
      await errorOf(bench.runner.execute('charge', never, charge({ idempotencyKey })))
      const actionId = (await bench.runner.find('charge', idempotencyKey))?.actionId ?? ''
      // The claim is taken over at the end of its lease, and started at once.
      await bench.clock.advance(60_000)
      let calls = 0
      const turns = round % 7
      const executed = bench.another().execute('charge', () => (calls += 1), charge({ idempotencyKey }))
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()

      const [made, released] = await Promise.allSettled([executed, bench.another().releaseUnstarted(actionId)])

      const isReleased = released.status === 'fulfilled' && made.status === 'rejected'
      won[isReleased ? 'release' : 'start'] += 1
      expect([made.status, calls]).toEqual(isReleased ? ['rejected', 0] : ['fulfilled', 1])
      const refusal = made.status === 'rejected' ? [made.reason] : []
      expect(refusal.every((error) => error instanceof ActionClaimLostError && error.invoked === 'no')).toBe(true)
    }
    // Which of the two a database hears first is chance, that one of them wins is not.
    if (store !== 'memory') return
    expect(won.release).toBeGreaterThan(0)
    expect(won.start).toBeGreaterThan(0)
  })

  it('evidence U5 of an unknown id changes nothing', async () => {
    const { runner } = await openBench(store)
    for (const actionId of ['01SAMPLE', '', ' x', 'x'.repeat(300)]) {
      const error = await errorOf(runner.releaseUnstarted(actionId))
      expect(error).toBeInstanceOf(ActionNotFoundError)
      expect(error).toMatchObject({ code: 'action_not_found', invoked: 'no', nextStep: 'inspect_ledger' })
    }
    const elsewhere = await openBench(store, { tenant: 'elsewhere' })
    expect(await errorOf(elsewhere.runner.receipt('01SAMPLE'))).toMatchObject({ code: 'action_not_found' })
  })
})
