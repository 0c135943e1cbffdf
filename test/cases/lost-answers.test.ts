// Cases A: answers that are lost or misread. What is not known is looked up, and nothing is sent blindly.
import { describe, expect, it } from 'vitest'
import { DefinitiveFailure, NotSent, type Verified } from '../../src/proposal/action.ts'
import { answering, hanging, openExecution, says } from '../runtime/execution-world.ts'
import { MINUTE_MS } from '../runtime/harness.ts'
import type { Methods, Refund } from '../runtime/refund.ts'
import { finance1, operator, requester, service } from '../runtime/sessions.ts'
import { commitThenDrop, dropBefore, lookUntilSettled, lookWhenDue, PAST_BOUNDARY_MS, standing } from './steps.ts'

describe('case C002: the import timed out, was the ticket created?', () => {
  it('case C002 a provider that can be searched by the key knows', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('ticket with the key in its body')
    world.action.methods.execute = commitThenDrop(world)

    const lost = await world.execute(ref)
    const found = await lookWhenDue(world, ref)

    expect([lost.status, found.status, world.action.calls.execute]).toEqual(['failed_unknown', 'verified', 1])
  })

  it.each<[string, Methods['verify']]>([
    [
      'a list by time and subject has candidates only',
      async (input) => says.doneAs({ identity: 'printer is broken' })(input),
    ],
    ['a provider that can say nothing says nothing', async () => says.unavailable()],
  ])('case C002 %s: unknown until a person decides, and nothing is sent again', async (_, verify) => {
    const world = await openExecution({ store: 'memory', contract: { lifetime: '1d' } })
    const ref = await world.approved('ticket')
    world.action.methods.execute = commitThenDrop(world)
    world.action.methods.verify = verify
    await world.execute(ref)

    const given = await lookUntilSettled(world, ref)

    expect([given.status, given.nextStep]).toEqual(['verification_unresolved', 'operator'])
    expect((await world.execute(ref)).status).toBe('verification_unresolved')
    expect(world.action.calls.execute).toBe(1)
    expect(world.action.business.booked).toHaveLength(1)
  })
})

describe('case C004: the caller hangs up while the approved call is in flight', () => {
  it('case C004 the call goes on, and whoever executes again is told how it stands', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund')
    const answer = Promise.withResolvers<Awaited<ReturnType<Methods['execute']>>>()
    world.action.methods.execute = async () => answer.promise
    const abandoned = world.execute(ref)
    await world.clock.advance(50)

    const again = await world.runtime.execute(service, ref)
    answer.resolve({ status: 'accepted', externalReference: 'rf-1' })
    await abandoned

    expect([again.outcome, again.status]).toEqual(['in_progress', 'executing'])
    expect((await world.runtime.execute(service, ref)).outcome).toBe('verification_pending')
    expect(world.action.calls.execute).toBe(1)
  })

  it('case C004 an abort that reaches the request after it was sent is unknown, and is looked up', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund')
    const { execute } = world.action.methods
    world.action.methods.execute = async (input) => {
      await execute(input)
      throw new DOMException('The operation was aborted.', 'AbortError')
    }

    const aborted = await world.execute(ref)
    await world.runtime.execute(service, ref)
    const found = await lookWhenDue(world, ref)

    expect([aborted.status, found.status]).toEqual(['failed_unknown', 'verified'])
    expect(world.action.business.booked).toHaveLength(1)
  })
})

describe('case C005: mail accepted, connection lost before the final 250', () => {
  it('case C005 the message carries an identity made from the key, by which it is found in the sent log', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('contract mail')
    const sent: string[] = []
    world.action.methods.execute = async ({ idempotencyKey }) => {
      sent.push(`<${idempotencyKey}@mail.example>`)
      throw new Error('connection lost')
    }
    world.action.methods.verify = async (input) => {
      const ids = new Set(input.idempotencyKeys.map((key) => `<${key}@mail.example>`))
      return sent.some((id) => ids.has(id)) ? says.done(input) : says.absent(input)
    }

    expect((await world.execute(ref)).status).toBe('failed_unknown')
    expect((await lookWhenDue(world, ref)).status).toBe('verified')
    expect(sent).toHaveLength(1)
  })

  it('case C005 without a sent log no sweep sends it again, and a person settles it', async () => {
    const world = await openExecution({ store: 'memory', contract: { lifetime: '1d' } })
    const ref = await world.approved('contract mail')
    world.action.methods.execute = dropBefore
    world.action.methods.verify = async () => says.unavailable()
    await world.execute(ref)
    for (const _ of [1, 2, 3]) expect(standing(await lookWhenDue(world, ref))).toBe('in doubt')
    await lookUntilSettled(world, ref)

    const settled = await world.runtime.settle(operator, ref, {
      verdict: 'closed_unknown',
      reason: 'recipient_does_not_know',
      evidenceReference: 'case-5',
    })

    expect(settled.status).toBe('closed_unknown')
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('case C007: 409 means that the ticket is already there', () => {
  const terminal = says.gone('terminal')

  it.each<[string, (input: Parameters<Methods['verify']>[0]) => Verified<Refund>, string]>([
    ['the own ticket', says.done, 'verified'],
    [
      'a ticket of other content',
      says.doneAs({ facts: { '/orderReference': 'ORD-1001', '/amount': { amount: '99.00', currency: 'EUR' } } }),
      'verification_unresolved',
    ],
    ['a ticket of somebody else', says.doneAs({ identity: 'EXT-7' }), 'in doubt'],
    ['nothing, for certain', terminal, 'failed_known'],
  ])('case C007 the conflict is read back, and is %s', async (_, answer, status) => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('ticket')
    // The first try lost its answer, the host's own second try met 409.
    world.action.methods.execute = async () => ({ status: 'failed_unknown', reason: 'conflict' })
    world.action.methods.verify = answering(answer)

    expect((await world.execute(ref)).status).toBe('failed_unknown')
    await world.clock.advance(PAST_BOUNDARY_MS)

    expect(standing(await world.reconcile(ref))).toBe(status)
    expect(world.action.calls.execute).toBe(1)
  })
})

it('case C009 one call, two tickets: done more than once is for a person, and nothing is cleaned up', async () => {
  const world = await openExecution({ store: 'memory' })
  const ref = await world.approved('ticket')
  world.action.methods.verify = answering(says.doneAs({ matches: 2 }))
  await world.execute(ref)

  const seen = await lookWhenDue(world, ref)

  expect([seen.status, seen.nextStep]).toEqual(['verification_unresolved', 'operator'])
  expect(seen.attention).toContain('duplicate_possible')
  expect(world.action.calls.execute).toBe(1)
})

describe('case C011: 502 from the provider wrapped as 200 "pending"', () => {
  const executed: readonly [string, Methods['execute']][] = [
    ['taken for accepted', async () => ({ status: 'accepted' })],
    ['taken for what it is', async () => ({ status: 'failed_unknown', reason: 'pending_without_id' })],
  ]
  const answers = [
    [says.gone('terminal'), 'failed_known'],
    [says.done, 'verified'],
    [says.unavailable, 'in doubt'],
  ] as const

  it.each(
    executed.flatMap(([how, execute]) => answers.map(([answer, status]) => [how, status, execute, answer] as const)),
  )('case C011 %s, it is not done before it was read back: %s', async (_, status, execute, answer) => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund')
    world.action.methods.execute = execute
    world.action.methods.verify = answering(answer)

    const first = await world.execute(ref)
    await world.clock.advance(PAST_BOUNDARY_MS)
    const read = await world.reconcile(ref)

    expect(standing(first)).toBe('in doubt')
    expect(['wait', 'reconcile']).toContain(first.nextStep)
    expect(standing(read)).toBe(status)
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('case C013: "not found, nothing to refund", with the test key', () => {
  it('case C013 a target that is not there is drift', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund')
    world.action.methods.resolve = async () => ({ current: null, precondition: 'none' })

    const refused = await world.execute(ref)

    expect([refused.status, refused.reason]).toEqual(['stale', 'subject_gone'])
    expect(world.action.calls.execute).toBe(0)
  })

  it.each([
    ['404 when it is sent', 'target_not_found'],
    ['"already refunded", by somebody else', 'already_refunded'],
  ])('case C013 %s is no confirmation: by our key there is nothing', async (_, reason) => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund')
    world.action.methods.execute = async () => ({ status: 'failed_unknown', reason })
    world.action.methods.verify = answering(says.gone('terminal'))

    await world.execute(ref)
    await world.clock.advance(PAST_BOUNDARY_MS)

    expect((await world.reconcile(ref)).status).toBe('failed_known')
  })
})

describe('case C017: did it fail before or after the request left?', () => {
  const ways: readonly [string, Methods['execute'], string][] = [
    [
      'while the request was built',
      async () => {
        throw new NotSent('no_pool')
      },
      'approved',
    ],
    [
      'while it was built, without saying so',
      async () => {
        throw new TypeError('undefined')
      },
      'failed_unknown',
    ],
    [
      'at name resolution, before the mark',
      async () => {
        throw new NotSent('dns')
      },
      'approved',
    ],
    [
      'at the connection, after the mark',
      async (input) => {
        input.markSending()
        throw new NotSent('connection_refused')
      },
      'failed_unknown',
    ],
    [
      'by a reset after the body was sent',
      async (input) => {
        input.markSending()
        throw new Error('ECONNRESET')
      },
      'failed_unknown',
    ],
    [
      'after the answer, in parsing',
      async (input) => {
        input.markSending()
        throw new SyntaxError('Unexpected end of JSON input')
      },
      'failed_unknown',
    ],
    [
      'by proof that nothing happens',
      async () => {
        throw new DefinitiveFailure('card_expired')
      },
      'failed_known',
    ],
  ]

  it.each(ways)('case C017 it failed %s', async (_, execute, status) => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('payout')
    world.action.methods.execute = execute

    expect((await world.execute(ref)).status).toBe(status)
  })

  it('case C017 what was not sent is sent under the same key', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('payout')
    const { execute } = world.action.methods
    world.action.methods.execute = async () => {
      throw new NotSent('no_pool')
    }
    await world.execute(ref)
    world.action.methods.execute = execute

    await world.execute(ref)

    const [first, second] = world.log.executed.map(({ input }) => input.idempotencyKey)
    expect(second).toBe(first)
    expect(world.action.business.booked).toHaveLength(1)
  })

  it('case C017 a crash between the mark and the request is unknown', async () => {
    const world = await openExecution({ store: 'sqlite' })
    const ref = await world.approved('payout')
    world.action.methods.execute = async (input) => {
      input.markSending()
      return hanging()(input)
    }
    world.action.methods.verify = answering(says.absent)
    world.execute(ref).catch(() => null)
    await world.clock.advance(0)

    // Nobody is left who could say how the call went.
    const other = await world.open()
    await world.clock.advance(2 * MINUTE_MS)

    expect(standing(await other.reconcile(service, ref))).toBe('in doubt')
    expect(standing(await other.execute(requester, ref))).toBe('in doubt')
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('case C018: corrected bank data, and sent again while the first transfer was still alive', () => {
  it('case C018 who approves the second is shown the first, and a policy can hold it back', async () => {
    const policy = {
      require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }],
      whileRelatedInDoubt: 'block',
    }
    const world = await openExecution({ store: 'memory', contract: { policy } })
    const first = await world.approved('to the old account')
    await world.execute(first)

    const second = await world.approved('to the corrected account')

    const shown = await world.runtime.read(finance1, second)
    expect(shown).toMatchObject({
      related: [{ proposal: first, status: 'verification_pending', sameEffect: false }],
    })
    expect(await world.execute(second)).toMatchObject({ outcome: 'blocked', reason: 'related_in_doubt' })
    expect(world.action.calls.execute).toBe(1)
  })

  it('case C018 where it is not held back, both are told as done, each beside the other', async () => {
    const world = await openExecution({ store: 'memory', contract: { lifetime: '10d' } })
    const first = await world.approved('to the old account')
    world.action.methods.verify = answering(says.absent)
    await world.execute(first)
    const second = await world.approved('to the corrected account')
    await world.execute(second)

    world.action.methods.verify = answering(says.done)
    await lookWhenDue(world, second)
    await lookWhenDue(world, first)

    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      expect(await world.runtime.read(finance1, one)).toMatchObject({
        status: 'verified',
        related: [{ proposal: other, status: 'verified', sameEffect: false }],
      })
    }
  })
})
