// Attacks on related doubt: two effects of one subject that are sent at the same moment, although the policy says not to.
import { describe, expect, it } from 'vitest'
import { openExecution } from './execution-world.ts'
import { answerOf, STORES } from './harness.ts'
import { lost } from './operators.ts'
import { refund } from './refund.ts'
import { requester } from './sessions.ts'

const finance = { name: 'finance', count: 1, from: { role: 'finance-manager' } }
const blocking = { policy: { require: [finance], whileRelatedInDoubt: 'block' } }

describe.each(STORES)('related proposals under whileRelatedInDoubt: block, on %s', (store) => {
  it('trace S17: of two that are executed at the same time at most one is sent', async () => {
    const world = await openExecution({ store, contract: blocking })
    world.action.methods.execute = lost
    const pair = [await world.approved('damaged item'), await world.approved('refund: damaged item')]

    await Promise.all(pair.map((ref) => answerOf(world.execute(ref))))

    expect(world.action.calls.execute).toBeLessThanOrEqual(1)
    // Whichever was not sent says so itself, and is not left in doubt.
    const ends = await Promise.all(pair.map(async (ref) => (await world.stored(ref)).proposal.status))
    const inDoubt = ends.filter((status) => status === 'verification_pending' || status === 'failed_unknown')
    expect(inDoubt).toHaveLength(world.action.calls.execute)
  })

  it('trace S17: of two that two runtimes execute at the same time at most one is sent', async () => {
    const world = await openExecution({ store, contract: blocking })
    world.action.methods.execute = lost
    const other = await world.open()
    const [first, second] = [await world.approved('damaged item'), await world.approved('refund: damaged item')]

    await Promise.all([answerOf(world.execute(first)), answerOf(other.execute(requester, second))])

    expect(world.action.calls.execute).toBeLessThanOrEqual(1)
  })

  it('trace S17: a doubt that arises while the rights are asked for holds the call back', async () => {
    const world = await openExecution({ store, contract: blocking })
    world.action.methods.execute = lost
    const held = await world.approved('damaged item')
    const doubtful = await world.approved('refund: damaged item')
    const { can } = world.action.methods
    let isAsked = false
    // The last question before the admission is the one that shows the content.
    world.action.methods.can = async (act, caller, view) => {
      if (act === 'execute' && view.proposal?.ref === held && view.snapshot !== null && !isAsked) {
        isAsked = true
        await world.execute(doubtful)
      }
      return can(act, caller, view)
    }

    const answer = await answerOf(world.execute(held))

    expect(isAsked).toBe(true)
    expect(answer).toContain('related_in_doubt')
    expect(world.log.executed).toHaveLength(1)
    expect((await world.effect(doubtful)).attempts).toHaveLength(1)
  })

  it('trace S17: without that policy both are sent', async () => {
    const world = await openExecution({ store, contract: { policy: refund.policy } })
    world.action.methods.execute = lost
    const pair = [await world.approved('damaged item'), await world.approved('refund: damaged item')]

    await Promise.all(pair.map((ref) => world.execute(ref)))

    expect(world.action.calls.execute).toBe(2)
  })
})
