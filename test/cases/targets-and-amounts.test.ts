// Cases G: targets, amounts and what people see. What is shown, bound, done and checked is one set of facts.
import { describe, expect, it } from 'vitest'
import { PreparationRefused } from '../../src/proposal/errors.ts'
import { minorUnits } from '../../src/proposal/money.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { answering, openExecution, says } from '../runtime/execution-world.ts'
import { answerOf, refused, unsound } from '../runtime/harness.ts'
import { finance1, requester } from '../runtime/sessions.ts'
import { lookWhenDue } from './steps.ts'

const eur = (amount: unknown): { readonly amount: unknown; readonly currency: string } => ({ amount, currency: 'EUR' })

it('case C095 a hundred proposals in one millisecond are a hundred, and approving one releases one', async () => {
  const world = await openExecution({ store: 'sqlite' })
  // Ids of its own, as in production; time stands still.
  const { bareStore: store, keyring, clock, action } = world
  const runtime = await ProposalRuntime.open({ store, keyring, clock, actions: [action] })
  const charges = Array.from({ length: 100 }, (_, number) => `CH-${2_000 + number}`)
  const prepared = await Promise.all(
    charges.map(async (orderReference) =>
      runtime.prepare(requester, world.input({ orderReference, intent: 'refund' })),
    ),
  )

  const chosen = prepared[41]
  await runtime.approve(finance1, chosen?.proposal ?? '', { commitment: chosen?.commitment ?? '' })
  const outcomes = await Promise.all(
    prepared.map(async ({ proposal }) => (await runtime.execute(requester, proposal)).outcome),
  )

  expect(new Set(prepared.map(({ proposal }) => proposal)).size).toBe(100)
  expect(new Set(prepared.map(({ commitment }) => commitment)).size).toBe(100)
  expect(outcomes.filter((outcome) => outcome !== 'approval_pending')).toEqual(['verification_pending'])
  expect(world.log.executed.map(({ input }) => input.snapshot.orderReference)).toEqual(['CH-2041'])
})

describe('case C097: a mistyped number refunds somebody else’s payment', () => {
  it('case C097 what the caller expects and what the record says differ: refused', async () => {
    const world = await openExecution({ store: 'memory' })
    const { prepare } = world.action.methods
    world.action.methods.prepare = async (input) => {
      const prepared = await prepare(input)
      if (input.command.memo !== prepared.snapshot.customer) throw new PreparationRefused('payer_differs')
      return prepared
    }

    const error = await refused(world.prepared(requester, world.input({ memo: 'Smith Ltd' })))

    expect([error['code'], error['reason']]).toEqual(['preparation_refused', 'payer_differs'])
    expect((await world.dump()).proposals).toEqual([])
  })

  it('case C097 approvers see the record and not a bare id; another payer on it is drift', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund')
    expect(await world.runtime.read(finance1, ref)).toMatchObject({
      preview: { amount: eur('10.00'), alreadyRefunded: eur('20.00') },
    })
    world.action.business.customer = 'Jones Ltd'

    expect((await world.execute(ref)).status).toBe('stale')
    expect(await world.runtime.read(finance1, ref)).toMatchObject({ driftPaths: ['/customer'] })
  })
})

it('case C098 an executor that reads the payee anew is found out: another one was paid than was approved', async () => {
  const world = await openExecution({
    store: 'memory',
    contract: { facts: ['/orderReference', '/amount', '/customer'] },
  })
  const ref = await world.approved('pay the bill')
  const paid: string[] = []
  const { execute } = world.action.methods
  world.action.methods.execute = async (input) => {
    paid.push('the vendor of the bill')
    return execute(input)
  }
  world.action.methods.verify = answering((input) =>
    unsound({
      ...says.done(input),
      facts: { '/orderReference': 'ORD-1001', '/amount': eur('10.00'), '/customer': paid[0] },
    }),
  )
  await world.execute(ref)

  const read = await lookWhenDue(world, ref)

  expect([read.status, read.nextStep]).toEqual(['verification_unresolved', 'operator'])
  expect(read.attention).toContain('effect_mismatch')
})

describe('case C100: 78.4 × 100 = 7840.000000000001', () => {
  it.each([
    ['78.40', 7_840n],
    ['9.95', 995n],
    ['1.13', 113n],
  ])('case C100 %s as text is exactly that many cents', (amount, cents) => {
    expect(minorUnits({ amount, currency: 'EUR' })).toBe(cents)
  })

  it.each([78.4, 9.95, 1.13, 0.1 + 0.2, 78, '78.4', '78.400', '78,40', '+78.40', '1e2', ''])(
    'case C100 %s is no amount, and is refused',
    async (amount) => {
      const world = await openExecution({ store: 'memory' })

      expect(await answerOf(world.prepared(requester, world.input({ amount: eur(amount) })))).toBe('invalid_command')
    },
  )

  it('case C100 lines that do not add up to their total do not add up here either', () => {
    const lines = ['33.33', '33.33', '33.33'].map((amount) => minorUnits({ amount, currency: 'EUR' }))

    expect(lines.reduce((sum, line) => sum + line)).not.toBe(minorUnits({ amount: '100.00', currency: 'EUR' }))
  })

  it('case C100 one cent off is a mismatch like any other', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund')
    world.action.methods.verify = answering(
      says.doneAs({ facts: { '/orderReference': 'ORD-1001', '/amount': eur('9.99') } }),
    )
    await world.execute(ref)

    expect((await lookWhenDue(world, ref)).status).toBe('verification_unresolved')
  })
})

it('case C103 5,800 yen are shown as 5800, arrive as 58, and the rest is not sent after them', async () => {
  const world = await openExecution({ store: 'memory' })
  const yen = (amount: string): object => ({ amount, currency: 'JPY' })
  const ref = await world.approved('refund', { amount: yen('5800') })
  expect(await world.runtime.read(finance1, ref)).toMatchObject({ preview: { amount: yen('5800') } })
  world.action.methods.verify = answering(
    says.doneAs({ facts: { '/orderReference': 'ORD-1001', '/amount': yen('58') } }),
  )
  await world.execute(ref)

  const read = await lookWhenDue(world, ref)

  expect(read.status).toBe('verification_unresolved')
  expect(await answerOf(world.execute(ref))).toBe('verification_unresolved')
  expect(await answerOf(world.prepared(requester, world.input({ amount: yen('5800.00') })))).toBe('invalid_command')
  expect(world.action.calls.execute).toBe(1)
})

describe('case C106: invisible and reordering characters', () => {
  const texts = [
    'billing@ex\u0430mple.com',
    '\u202Eright to left',
    '\u2066isolated\u2069',
    'zero\u200Bwidth',
    '\uFEFFmark',
    'line\u2028separator',
    '\u{E0041}tag',
    '\u{1F600}',
    '\u05E9\u05DC\u05D5\u05DD',
  ]

  it.each(texts)('case C106 %j is bound and executed as it was written', async (memo) => {
    const world = await openExecution({ store: 'sqlite' })
    const ref = await world.approved('mail', { memo })

    await world.execute(ref)

    expect(world.log.executed.map(({ input }) => input.snapshot.memo)).toEqual([memo])
  })

  it('case C106 half a character is refused, and two spellings of one name are two texts', async () => {
    const world = await openExecution({ store: 'memory' })

    expect(await answerOf(world.prepared(requester, world.input({ memo: 'half \uD800' })))).toBe('invalid_command')

    const prepared = await Promise.all(
      ['Z\u00FCrich', 'Zu\u0308rich'].map(async (memo) => {
        return world.prepared(requester, world.input({ memo, intent: 'mail' }))
      }),
    )
    const fingerprints = await Promise.all(
      prepared.map(async ({ proposal }) => (await world.stored(proposal)).proposal.commandFingerprint),
    )
    expect(new Set(prepared.map(({ commitment }) => commitment)).size).toBe(2)
    expect(new Set(fingerprints).size).toBe(2)
  })
})
