// The invariants that are held against every world of execution: a sound one passes, and each broken one is named.
import { describe, expect, it } from 'vitest'
import type { Effect, Observation } from '../../src/effect/effect.ts'
import type { Receipt } from '../../src/proposal/receipts/receipt.ts'
import type { Status } from '../../src/proposal/status.ts'
import { answering, openExecution, resendAfter, says } from './execution-world.ts'
import { MINUTE_MS } from './harness.ts'
import { brokenIn, type Dump, type InvariantName, INVARIANTS } from './invariants.ts'

/** What breaks each invariant, and no more than that. */
const breaks: Readonly<Record<InvariantName, (dump: Dump) => Dump>> = {
  I1: (dump) => ({ ...dump, proposals: [...dump.proposals, ...dump.proposals] }),
  I2: (dump) => withCall(dump, ({ stored, ...call }) => ({ ...call, stored: stored && { ...stored, approvals: [] } })),
  I3: (dump) => withCall(dump, (call) => ({ ...call, effect: null })),
  I4: (dump) => ({ ...dump, executed: [...dump.executed, ...dump.executed] }),
  I5: (dump) =>
    withCall(dump, ({ effect, ...call }) => ({ ...call, effect: effect && { ...effect, observations: [] } })),
  I6: (dump) => ({ ...dump, booked: new Map([...dump.booked].map(([key]) => [key, 9])) }),
  I7: (dump) => ({ ...dump, resolved: [] }),
  I8: (dump) => ({ ...dump, snapshots: new Map([...dump.snapshots].map(([ref]) => [ref, '{}'])) }),
  I9: (dump) => withCall(dump, (call) => ({ ...call, at: call.at + 31_000 })),
  I10: (dump) => withObservation(dump, (one) => ({ ...one, proof: null, matches: 2 })),
  I11: (dump) => withCall(dump, (call) => ({ ...call, ended: 'threw' })),
  I12: (dump) => withReceipt(dump, (body) => ({ ...body, at: body.type === 'execution.started' ? 1 : body.at })),
  I13: (dump) => ({ ...dump, receipts: new Map([...dump.receipts].map(([ref, chain]) => [ref, chain.slice(1)])) }),
  I14: (dump) => withObservation(dump, (one) => ({ ...one, covers: { from: 1, to: 2 } })),
  I15: (dump) => withObservation(dump, (one) => ({ ...one, source: 'executor' })),
  I16: (dump) => withObservation(dump, (one) => ({ ...one, beganAt: 1 })),
  I17: (dump) => ({ ...dump, verified: dump.verified.map((call) => ({ ...call, ended: null })) }),
  I18: (dump) =>
    withReceipt(dump, (body) => ({ ...body, status: body.type === 'execution.started' ? 'verified' : body.status })),
}

const NAMES = Object.keys(INVARIANTS) as InvariantName[]

describe('invariants', () => {
  it('hold for an effect that was sent twice, the first time in vain', async () => {
    expect(brokenIn(await sentTwice())).toEqual([])
  })

  it.each(NAMES)('invariant %s is named where it is broken', async (name) => {
    const broken = brokenIn(breaks[name](await sentTwice()))

    expect(broken.some((sentence) => sentence.startsWith(`${name}: `))).toBe(true)
  })

  it('an exception is made only where it is asked for', async () => {
    const dump = breaks.I17(await sentTwice())

    expect(brokenIn(dump, ['I17'])).toEqual([])
  })
})

/** Lost, proven absent, sent again and verified. */
async function sentTwice(): Promise<Dump> {
  const world = await openExecution({ store: 'memory', contract: resendAfter('terminal') })
  const { execute, verify } = world.action.methods
  const proposal = await world.approved('the one that is lost at first')
  world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
  world.action.methods.verify = answering(says.gone('terminal'))
  await world.execute(proposal)
  await world.clock.advance(5 * MINUTE_MS)
  await world.reconcile(proposal)
  world.action.methods.execute = execute
  await world.execute(proposal)
  world.action.methods.verify = verify
  await world.clock.advance(5_000)
  await world.reconcile(proposal)
  const dump = await world.dump()
  expect(dump.executed).toHaveLength(2)
  return dump
}

type Call = Dump['executed'][number]

function withCall(dump: Dump, change: (call: Call) => Call): Dump {
  return { ...dump, executed: dump.executed.map(change) }
}

function withObservation(dump: Dump, change: (one: Observation) => Observation): Dump {
  const effects = dump.effects.map((effect): Effect => {
    return { ...effect, observations: effect.observations.map(change) }
  })
  return { ...dump, effects }
}

type Body = NonNullable<Receipt['body']>

function withReceipt(dump: Dump, change: (body: Body) => Body & { readonly status: Status }): Dump {
  const receipts = new Map(
    [...dump.receipts].map(([ref, chain]) => [
      ref,
      chain.map((receipt) => ({ ...receipt, body: receipt.body && change(receipt.body) })),
    ]),
  )
  return { ...dump, receipts }
}
