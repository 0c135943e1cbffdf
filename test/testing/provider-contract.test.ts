// The contract of provider adapters is itself tested: each seeded bug is found under its own code, a correct adapter passes.
import { describe, expect, it } from 'vitest'
import { failureCodes, providerContract } from '../../src/testing.ts'
import { Till } from './kits/till.ts'
import { TillAdapter } from './kits/till-adapter.ts'
import { providerBugs } from './seeded-bugs/provider-adapters.ts'

describe('the contract of provider adapters', () => {
  it('passes a correct adapter, with every clause run', async () => {
    const till = new Till()

    const report = await providerContract('till', new TillAdapter(till), till)

    expect(report.clauses.filter(({ state }) => state !== 'passed')).toEqual([])
    expect(report.verdict).toBe('passed')
  })

  it.each(providerBugs)('finds an adapter that $title ($code)', async ({ code, subject }) => {
    const till = new Till()

    const report = await providerContract('faulty', new subject(till), till)

    expect(failureCodes(report)).toEqual([code])
  })

  it('says what the double could not do, and does not count it as passed', async () => {
    const till = new Till()
    const double = {
      body: () => till.body(),
      otherBody: () => till.otherBody(),
      accounts: ['account-a'],
      endpoints: ['/charges'],
      effects: async (key: string) => till.effects(key),
      wire: async () => till.wire(),
      advance: async (ms: number) => till.advance(ms),
      restore: async () => till.restore(),
      sendFaults: {},
      findFaults: {},
    }

    const report = await providerContract('till', new TillAdapter(till), double)

    expect(report.verdict).toBe('incomplete')
    expect(report.clauses.flatMap(({ clause, state }) => (state === 'passed' ? [clause] : []))).toEqual([
      'declares',
      'send.effect',
      'send.same_key',
      'send.other_body',
      'send.at_once',
      'send.within_lifetime',
      'find.fresh',
      'find.echo',
      'find.unknown_key',
      'find.reads_only',
    ])
  })
})
