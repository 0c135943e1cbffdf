// The conformance kit of protection is itself tested: each seeded bug is found under its own code, correct services pass.
import { describe, expect, it } from 'vitest'
import { ephemeralKeyring } from '../../src/index.ts'
import { failureCodes, protectionConformance } from '../../src/testing.ts'
import { underTest } from './kits/key-service.ts'
import { codecBugs, correctCodec, runtimeCodec } from './seeded-bugs/codecs.ts'
import { keyServiceBugs } from './seeded-bugs/key-services.ts'

describe('the conformance kit of protection', () => {
  it('passes a key service of which everything can be tried', async () => {
    const report = await protectionConformance('key service', underTest())

    expect(report.clauses.filter(({ state }) => state !== 'passed')).toEqual([])
    expect(report.verdict).toBe('passed')
  })

  it('finds nothing wrong with the local keyring, and says what could not be tried', async () => {
    const report = await protectionConformance('local keyring', { keyring: ephemeralKeyring() })

    expect(failureCodes(report)).toEqual([])
    expect(report.verdict).toBe('incomplete')
    expect(report.clauses.flatMap(({ clause, state }) => (state === 'not_run' ? [clause] : []))).toEqual([
      'keyring.reopened',
      'keyring.rotated',
      'keyring.unavailable',
      'keyring.denied',
      'keyring.forgotten',
    ])
  })

  it.each([
    ['the runtime', runtimeCodec()],
    ['a simple one', correctCodec],
  ])('passes the codec of %s', async (name, codec) => {
    const report = await protectionConformance(name, codec)

    expect(report.clauses.filter(({ state }) => state !== 'passed')).toEqual([])
  })

  it.each(keyServiceBugs)('finds a key service that $title ($code)', async ({ code, subject }) => {
    expect(failureCodes(await protectionConformance('faulty', subject()))).toEqual([code])
  })

  it.each(codecBugs)('finds a codec that $title ($code)', async ({ code, subject }) => {
    expect(failureCodes(await protectionConformance('faulty', subject))).toEqual([code])
  })
})
