// Cases B: identity and idempotency. One intention has one identity, and a digest is as good as what it is made of.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { canonicalJson, CanonicalJsonError, type JsonValue } from '../../src/effect/canonical-json.ts'
import { NotSent } from '../../src/proposal/action.ts'
import { answering, openExecution, resendAfter, says } from '../runtime/execution-world.ts'
import { answerOf, openWorld, refused } from '../runtime/harness.ts'
import { refund } from '../runtime/refund.ts'
import { finance1, requester } from '../runtime/sessions.ts'
import { commitThenDrop, dropBefore, lookWhenDue, PAST_BOUNDARY_MS, standing } from './steps.ts'

describe('case C020: the first answer was a 500, and the provider replays it for ever', () => {
  it('case C020 it had booked: repeated 500s add nothing, and a look-up by the same key finds it', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund')
    const found = world.action.methods.verify
    world.action.methods.execute = commitThenDrop(world)
    world.action.methods.verify = async () => {
      throw new Error('500')
    }
    await world.execute(ref)
    for (const _ of [1, 2, 3]) expect(standing(await lookWhenDue(world, ref))).toBe('in doubt')

    world.action.methods.verify = found
    const read = await lookWhenDue(world, ref)

    expect([read.status, world.action.calls.execute]).toEqual(['verified', 1])
  })

  it('case C020 it had booked nothing: only a new proposal with approvals of its own carries a new identity', async () => {
    const world = await openExecution({ store: 'memory', contract: resendAfter('terminal') })
    const { execute } = world.action.methods
    const ref = await world.approved('refund')
    world.action.methods.execute = dropBefore
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.execute(ref)
    await world.clock.advance(PAST_BOUNDARY_MS)
    expect((await world.reconcile(ref)).outcome).toBe('resend_allowed')
    await world.runtime.withdraw(requester, ref)

    world.action.methods.execute = execute
    const fresh = await world.approved('refund')
    await world.execute(fresh)

    const [first, second] = world.log.executed.map(({ input }) => input.idempotencyKey)
    expect(second).not.toBe(first)
    expect(world.action.business.booked.map(({ key }) => key)).toEqual([second])
  })
})

describe('case C022: a key leaks from one provider call into the next one', () => {
  /** A provider that refuses a key that it has seen with another body. */
  function billing(): { call(key: string, body: string): void; readonly done: string[] } {
    const seen = new Map<string, string>()
    const done: string[] = []
    return {
      done,
      call(key, body) {
        if (seen.has(key) && seen.get(key) !== body) throw new Error('idempotency_error')
        if (!seen.has(key)) done.push(body)
        seen.set(key, body)
      },
    }
  }

  it('case C022 sub-steps have identities of their own, the same at every attempt', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('bill')
    const provider = billing()
    const keys: string[][] = []
    world.action.methods.execute = async (input) => {
      keys.push([input.stepKey(1), input.stepKey(2), input.idempotencyKey])
      if (keys.length === 1) throw new NotSent('no_pool')
      provider.call(input.stepKey(1), 'create invoice')
      provider.call(input.stepKey(2), 'pay invoice')
      return { status: 'accepted' }
    }
    world.action.methods.verify = answering(says.absent)

    await world.execute(ref)
    await world.execute(ref)

    expect(keys[1]).toEqual(keys[0])
    expect(new Set(keys[0]).size).toBe(3)
    expect(provider.done).toEqual(['create invoice', 'pay invoice'])
  })

  it('case C022 one key for both: the first half is done, and nobody says that it is paid or tries again', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('bill')
    const provider = billing()
    world.action.methods.execute = async ({ idempotencyKey }) => {
      provider.call(idempotencyKey, 'create invoice')
      provider.call(idempotencyKey, 'pay invoice')
      return { status: 'accepted' }
    }
    // What is found is the invoice; of its payment there is no fact.
    world.action.methods.verify = answering(says.doneAs({ facts: { '/orderReference': 'ORD-1001', '/amount': null } }))

    const executed = await world.execute(ref)
    const read = await lookWhenDue(world, ref)

    expect(standing(executed)).toBe('in doubt')
    expect(read.status).not.toBe('verified')
    expect(provider.done).toEqual(['create invoice'])
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('case C024: two ids become one', () => {
  const schemas = { ...refund.schemas, command: refund.schemas.command.extend({ invoiceId: z.int() }) }
  const parsed = (text: string): unknown => JSON.parse(text)

  it.each(['9196877626998785', '9196877626998784', '1e400', '0.30000000000000004', '-0'])(
    'case C024 %s as a number is refused, and nothing is proposed for its neighbour',
    async (text) => {
      const world = await openExecution({ store: 'memory', contract: { schemas } })

      const prepared = world.prepared(requester, world.input({ invoiceId: parsed(text) }))

      expect(await answerOf(prepared)).toBe('invalid_command')
      expect(world.action.calls.prepare).toBe(0)
    },
  )

  it('case C024 1.0 and 1 are one number; ids as text are told apart to the last digit', async () => {
    const world = await openExecution({ store: 'memory', contract: { schemas } })
    const key = 'one-request'

    const [one, same] = [
      await world.runtime.prepare(requester, { ...world.input({ intent: 'a', invoiceId: 1 }), requestKey: key }),
      await world.runtime.prepare(requester, {
        ...world.input({ intent: 'a', invoiceId: parsed('1.0') }),
        requestKey: key,
      }),
    ]
    expect([same.outcome, same.proposal]).toEqual(['replayed', one.proposal])

    const texts = await Promise.all(
      ['9196877626998785', '9196877626998784'].map(async (orderReference) => {
        return world.prepared(requester, world.input({ intent: 'b', invoiceId: 1, orderReference }))
      }),
    )
    expect(texts.map(({ outcome }) => outcome)).toEqual(['prepared', 'prepared'])
    expect(new Set(texts.map(({ commitment }) => commitment)).size).toBe(2)
    const shown = await Promise.all(texts.map(({ proposal }) => world.runtime.read(finance1, proposal)))
    expect(shown).toMatchObject([
      { preview: { orderReference: '9196877626998785' } },
      { preview: { orderReference: '9196877626998784' } },
    ])
  })
})

describe('case C025: what is meant to be stable is computed from what is not', () => {
  it('case C025 the same request is the same proposal, whatever prepare puts into the snapshot', async () => {
    const world = await openExecution({ store: 'memory' })
    const { prepare } = world.action.methods
    let nonce = 0
    world.action.methods.prepare = async (input) => {
      const prepared = await prepare(input)
      nonce += 1
      return { ...prepared, snapshot: { ...prepared.snapshot, memo: `nonce ${nonce}` } }
    }
    const input = { ...world.input(), requestKey: 'request-1' }

    const first = await world.runtime.prepare(requester, input)
    const again = await world.runtime.prepare(requester, input)

    expect([again.outcome, again.proposal]).toEqual(['replayed', first.proposal])
    expect(world.action.calls.prepare).toBe(1)
  })

  it('case C025 a snapshot that cannot be repeated is drift, and says which field', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund', { memo: 'signed 12:00:00' })
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => {
      const resolved = await resolve(input)
      if (resolved.current === null) return resolved
      return { ...resolved, current: { ...resolved.current, memo: 'signed 12:00:01' } }
    }

    expect((await world.execute(ref)).status).toBe('stale')
    expect(await world.runtime.read(finance1, ref)).toMatchObject({ driftPaths: ['/memo'] })
  })
})

describe('case C030: the digest says equal when it is not, or different when it is equal', () => {
  const sparse: unknown[] = []
  sparse[1] = 'after a hole'
  class Amount {
    readonly value = 1
  }

  it.each<[string, unknown]>([
    ['a Date', new Date(0)],
    ['another Date', new Date(1)],
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set([1])],
    ['an instance of a class', new Amount()],
    ['a bigint', 1n],
    ['undefined in an object', { a: undefined }],
    ['undefined in a list', [undefined]],
    ['NaN', Number.NaN],
    ['minus zero', -0],
    ['an own key __proto__', JSON.parse('{"__proto__": 1}')],
    ['a list with a hole', sparse],
    ['half a character', '\uD800'],
    ['two keys that look the same', { ä: 1, 'a\u0308': 2 }],
  ])('case C030 %s is refused, never collapsed', async (_, value) => {
    const world = await openExecution({ store: 'memory' })

    const error = await refused(world.prepared(requester, world.input({ amount: value })))

    expect(error['code']).toBe('invalid_command')
    expect(() => canonicalJson(value, { numbers: 'integers' })).toThrow(CanonicalJsonError)
  })

  const document: JsonValue = {
    ä: 1,
    h: 3,
    ch: 4,
    hundred: 1e2,
    deep: Array.from({ length: 20 }).reduce<JsonValue>((inner) => ({ inner }), 'bottom'),
  }

  it('case C030 content has one form on every machine, in every language', () => {
    const module = fileURLToPath(new URL('../../src/effect/canonical-json.ts', import.meta.url))
    const script = `import { canonicalJson } from ${JSON.stringify(module)}
      console.log(canonicalJson(JSON.parse(process.argv[1]), { numbers: 'integers' }))`
    const text = JSON.stringify(document)
    const forms = ['cs_CZ.UTF-8', 'de_DE.UTF-8', 'C'].map((LANG) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script, text], {
        env: { ...process.env, LANG, LC_ALL: LANG },
        encoding: 'utf8',
      }).trim(),
    )

    expect(new Set([...forms, canonicalJson(document, { numbers: 'integers' })]).size).toBe(1)
  })

  it('case C030 it is the same after a round trip through a file, and another one for any other content', async () => {
    const world = await openWorld({ store: 'sqlite' })
    const names = ['ä', 'a\u0308', 'ae']

    const prepared = await Promise.all(
      names.map(async (memo) => world.prepared(requester, world.input({ intent: 'one', memo }))),
    )
    for (const { proposal, commitment } of prepared) {
      // Approving opens what is stored and holds it against the commitment.
      expect((await world.runtime.approve(finance1, proposal, { commitment })).outcome).toBe('approved')
    }

    const fingerprints = await Promise.all(
      prepared.map(async ({ proposal }) => (await world.stored(proposal)).proposal.commandFingerprint),
    )
    expect(new Set(fingerprints).size).toBe(names.length)
    expect(new Set(prepared.map(({ commitment }) => commitment)).size).toBe(names.length)
  })
})
