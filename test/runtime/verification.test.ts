// Verification: what each answer of a verifier does to effect and proposal (the table of lifecycle 7), and what it spends.
import { describe, expect, it } from 'vitest'
import type { Observation } from '../../src/effect/effect.ts'
import type { Proposal } from '../../src/proposal/proposal.ts'
import type { ReceiptType } from '../../src/proposal/receipts/receipt.ts'
import {
  answering,
  type ExecutionWorld,
  openExecution,
  resendAfter,
  says,
  type VerifierAnswer,
} from './execution-world.ts'
import { HOUR_MS, MINUTE_MS, START, STORES, unsound } from './harness.ts'
import { operator } from './sessions.ts'

const LEASE_MS = 60_000
const IN_FLIGHT_MS = 60_000
/** From here on a negative answer about the only attempt counts. */
const BOUNDARY = START + LEASE_MS + IN_FLIGHT_MS

const PENDING = 'verification_pending'
const FACTS = { '/orderReference': 'ORD-1001', '/amount': { amount: '10.00', currency: 'EUR' } }

interface Row {
  readonly answer: string
  readonly verify: VerifierAnswer
  /** When the read begins; the boundary unless it is said. */
  readonly at?: number
  readonly observation: Partial<Observation>
  readonly status: Proposal['status']
  readonly receipt?: ReceiptType
  /** Spent of the budgets of absences and of unavailable answers. */
  readonly spent?: readonly [number, number]
}

const confirmed = { answer: 'verified_completion', verdict: 'CONFIRMED', matches: 1, flags: [], reason: null } as const
const unavailable = { answer: 'target_unavailable', verdict: 'UNKNOWN', flags: [], proof: null } as const
const finalAbsence = { answer: 'authoritative_final_absence' } as const

const rows: readonly Row[] = [
  { answer: 'completion', verify: says.done, observation: confirmed, status: 'verified' },
  {
    answer: 'completion, long before the boundary',
    verify: says.done,
    at: START + 1,
    observation: confirmed,
    status: 'verified',
  },
  {
    answer: 'completion with facts that differ',
    verify: says.doneAs({ facts: { ...FACTS, '/amount': { amount: '58.00', currency: 'EUR' } } }),
    observation: { verdict: 'UNKNOWN', flags: ['effect_mismatch'] },
    status: 'verification_unresolved',
    receipt: 'verification.mismatch',
  },
  {
    answer: 'completion, twice',
    verify: says.doneAs({ matches: 2 }),
    observation: { verdict: 'UNKNOWN', flags: ['duplicate'], matches: 2 },
    status: 'verification_unresolved',
    receipt: 'verification.mismatch',
  },
  {
    answer: 'completion before the first attempt',
    verify: says.doneAs({ occurredAt: START - 5_001 }),
    observation: { verdict: 'UNKNOWN', flags: ['predates_attempt'] },
    status: 'verification_unresolved',
    receipt: 'verification.mismatch',
  },
  {
    answer: 'completion at the instant of the first attempt',
    verify: says.doneAs({ occurredAt: START }),
    observation: confirmed,
    status: 'verified',
  },
  {
    answer: 'completion without a declared fact',
    verify: says.doneAs({ facts: unsound({ '/orderReference': 'ORD-1001' }) }),
    observation: { verdict: 'UNKNOWN', flags: ['fact_missing'], reason: unsound('fact_missing') },
    status: 'verification_pending',
    spent: [0, 1],
  },
  {
    answer: 'completion without a number of matches',
    verify: (input) => {
      const { matches: _, ...rest } = unsound<{ matches: number }>(says.done(input))
      return unsound(rest)
    },
    observation: { verdict: 'UNKNOWN', flags: ['fact_missing'], reason: unsound('fact_missing') },
    status: 'verification_pending',
    spent: [0, 1],
  },
  {
    answer: 'completion under another key',
    verify: says.doneAs({ identity: 'ik_somebody_else' }),
    observation: { ...unavailable, reason: unsound('identity_mismatch') },
    status: 'verification_pending',
    spent: [0, 1],
  },
  {
    answer: 'reversal after completion',
    verify: says.undone,
    observation: { answer: 'reversed_after_completion', verdict: 'CONFIRMED', flags: ['reversed'] },
    status: 'verified',
  },
  {
    answer: 'terminal failure of the attempt',
    verify: says.refused(1),
    observation: { verdict: 'FAILED', proof: 'terminal', covers: { from: 1, to: 1 }, reason: unsound('card_expired') },
    status: 'failed_known',
  },
  {
    answer: 'terminal failure, read a millisecond too early',
    verify: says.refused(1),
    at: BOUNDARY - 1,
    observation: { answer: 'verified_terminal_failure', verdict: 'UNKNOWN' },
    status: 'verification_pending',
  },
  {
    answer: 'terminal failure of an attempt that there is not',
    verify: says.refused(2),
    observation: { ...unavailable, reason: unsound('identity_mismatch') },
    status: 'verification_pending',
    spent: [0, 1],
  },
  {
    answer: 'provisional absence',
    verify: says.absent,
    observation: { answer: 'provisional_absence', verdict: 'UNKNOWN', reason: null },
    status: 'verification_pending',
    spent: [1, 0],
  },
  {
    answer: 'provisional absence, read a millisecond too early',
    verify: says.absent,
    at: BOUNDARY - 1,
    observation: { answer: 'provisional_absence', verdict: 'UNKNOWN' },
    status: 'verification_pending',
  },
  {
    answer: 'provisional absence of no key',
    verify: () => ({ status: 'provisional_absence', identity: [] }),
    observation: unavailable,
    status: 'verification_pending',
    spent: [0, 1],
  },
  {
    answer: 'provisional absence of another key as well',
    verify: ({ idempotencyKeys }) => ({ status: 'provisional_absence', identity: [...idempotencyKeys, 'ik_x'] }),
    observation: { ...unavailable, reason: unsound('identity_mismatch') },
    status: 'verification_pending',
    spent: [0, 1],
  },
  {
    answer: 'final absence, terminal',
    verify: says.gone('terminal'),
    observation: { ...finalAbsence, verdict: 'FAILED', proof: 'terminal', covers: { from: 1, to: 1 } },
    status: 'failed_known',
  },
  {
    answer: 'final absence, read a millisecond too early',
    verify: says.gone('terminal'),
    at: BOUNDARY - 1,
    observation: { ...finalAbsence, verdict: 'UNKNOWN', proof: 'terminal' },
    status: 'verification_pending',
  },
  {
    answer: 'final absence of a kind that is not accepted',
    verify: says.gone('settled'),
    observation: { ...finalAbsence, verdict: 'UNKNOWN', proof: 'settled' },
    status: 'verification_pending',
    spent: [1, 0],
  },
  ...(['fenced', 'cancelled', 'key_consumed'] as const).map(
    (proof): Row => ({
      answer: `final absence, ${proof}, with nobody's acknowledgement`,
      verify: says.gone(proof),
      observation: { ...finalAbsence, verdict: 'UNKNOWN', proof },
      status: 'verification_pending',
      spent: [1, 0],
    }),
  ),
  {
    answer: 'final absence of another key',
    verify: () => ({ status: 'authoritative_final_absence', identity: ['ik_x'], proof: 'terminal' }),
    observation: { ...unavailable, reason: unsound('identity_mismatch') },
    status: 'verification_pending',
    spent: [0, 1],
  },
  {
    answer: 'an outage',
    verify: () => ({ status: 'target_unavailable', reason: 'maintenance' }),
    observation: { ...unavailable, reason: unsound('maintenance') },
    status: 'verification_pending',
    spent: [0, 1],
  },
  ...useless('a throw', 'verifier_threw', () => {
    throw new Error('card 4111 of Carla')
  }),
  ...['', null, undefined, true, [], {}, { status: 'verified' }, { status: 'CONFIRMED' }].map((answer) =>
    malformed(JSON.stringify(answer) ?? 'nothing', answer),
  ),
  malformedBy('a completion with one thing more', (input) => ({ ...unsound<object>(says.done(input)), sure: true })),
  malformedBy('a completion with a fact more', says.doneAs({ facts: unsound({ ...FACTS, '/customer': 'Carla' }) })),
  malformedBy('a completion with half a match', says.doneAs({ matches: 0.5 })),
  malformedBy('a completion with no match', says.doneAs({ matches: 0 })),
  malformedBy('a completion with a result of another shape', says.doneAs({ result: unsound({ refundId: 7 }) })),
  malformedBy('a completion with huge facts', says.doneAs({ facts: { ...FACTS, '/amount': 'x'.repeat(70_000) } })),
  malformedBy('a final absence without proof', ({ idempotencyKeys }) => ({
    status: 'authoritative_final_absence',
    identity: idempotencyKeys,
  })),
  malformedBy('a final absence with a proof of its own', ({ idempotencyKeys }) => ({
    status: 'authoritative_final_absence',
    identity: idempotencyKeys,
    proof: 'certain',
  })),
]

function useless(answer: string, why: string, verify: VerifierAnswer): readonly Row[] {
  const observation = { ...unavailable, reason: unsound<null>(why) }
  return [{ answer, verify, observation, status: 'verification_pending', spent: [0, 1] }]
}

function malformed(answer: string, value: unknown): Row {
  return malformedBy(answer, () => value)
}

function malformedBy(answer: string, verify: (input: Parameters<VerifierAnswer>[0]) => unknown): Row {
  const [row] = useless(`malformed: ${answer}`, 'malformed_answer', (input) => unsound(verify(input)))
  if (row === undefined) throw new Error('one row')
  return row
}

async function openAccepted(
  store: (typeof STORES)[number],
  contract: Readonly<Record<string, unknown>> = {},
): Promise<{ world: ExecutionWorld; proposal: string }> {
  const world = await openExecution({ store, contract: { lifetime: '30d', ...contract } })
  const proposal = await world.approved('the one that is verified')
  await world.execute(proposal)
  return { world, proposal }
}

/** Reconciles when it is due, with this answer. */
async function look(world: ExecutionWorld, proposal: string, verify: VerifierAnswer): Promise<string> {
  world.action.methods.verify = answering(verify)
  const { verifyDueAt } = await world.effect(proposal)
  await world.clock.advance(Math.max(0, (verifyDueAt ?? 0) - world.clock.now()))
  return (await world.reconcile(proposal)).outcome
}

describe('lifecycle 7', () => {
  it.each(rows)('$answer: the proposal is $status', async (row) => {
    const { world, proposal } = await openAccepted('memory')
    world.action.methods.verify = answering(row.verify)
    await world.clock.advance((row.at ?? BOUNDARY) - START)

    const answer = await world.runtime.reconcile(operator, proposal, { now: true })

    const effect = await world.effect(proposal)
    const [absences, unavailables] = row.spent ?? [0, 0]
    expect([answer.outcome, answer.status]).toEqual([row.status, row.status])
    expect(effect.observations).toHaveLength(1)
    expect(effect.observations[0]).toMatchObject({
      source: 'verifier',
      target: 'business-system',
      covers: { from: 1, to: 1 },
      beganAt: row.at ?? BOUNDARY,
      ...row.observation,
    })
    expect([effect.absencesSpent, effect.unavailablesSpent]).toEqual([absences, unavailables])
    const told = row.receipt ?? `verification.${effect.observations[0]?.answer}`
    expect((await world.receipts(proposal)).at(-1)).toBe(told)
    expect(effect.verifyDueAt === null).toBe(row.status !== 'verification_pending')
  })

  it('a verifier that takes too long is told so and counts as unavailable', async () => {
    const { world, proposal } = await openAccepted('memory')
    let signal: AbortSignal | null = null
    world.action.methods.verify = (input) => {
      signal = input.signal
      return new Promise(() => {})
    }
    await world.clock.advance(5_000)

    const answer = world.reconcile(proposal)
    await world.clock.advance(30_000)

    expect((await answer).outcome).toBe('verification_pending')
    expect(signal).toMatchObject({ aborted: true })
    expect((await world.effect(proposal)).observations[0]).toMatchObject({
      answer: 'target_unavailable',
      reason: 'verify_timed_out',
      beganAt: START + 5_000,
      endedAt: START + 35_000,
    })
  })

  it.each([
    { verifier: 'its own', fields: { result: { refundId: 'rf-own' } }, result: { refundId: 'rf-own' } },
    { verifier: 'none, and names what the executor named', fields: {}, result: { refundId: 'rf-1' } },
    { verifier: 'none, and names something else', fields: { externalReference: 'rf-2' }, result: null },
  ])('the result of a verifier with $verifier is kept, uncorrelated ones are not', async ({ fields, result }) => {
    const { world, proposal } = await openAccepted('sqlite')
    await look(world, proposal, (input) => {
      const { result: _, ...found } = unsound<{ result: unknown }>(says.done(input))
      return unsound({ ...found, ...fields })
    })

    expect((await world.execute(proposal)).result).toEqual(result)
  })

  it('compares facts as the action says, if it says so', async () => {
    const world = await openExecution({
      store: 'memory',
      methods: { compareFacts: (_, found) => found['/orderReference'] === 'ord-1001' },
    })
    const proposal = await world.approved('the one in another case')
    await world.execute(proposal)

    expect(await look(world, proposal, says.doneAs({ facts: { ...FACTS, '/orderReference': 'ord-1001' } }))).toBe(
      'verified',
    )
  })

  it.each([
    {
      what: 'throws',
      compareFacts: () => {
        throw new Error('no')
      },
    },
    { what: 'answers no boolean', compareFacts: () => unsound<boolean>('equal') },
    { what: 'answers a promise', compareFacts: () => unsound<boolean>(Promise.resolve(false)) },
  ])('a comparison that $what confirms nothing', async ({ compareFacts }) => {
    const world = await openExecution({ store: 'memory', methods: { compareFacts } })
    const proposal = await world.approved('the one that cannot be compared')
    await world.execute(proposal)

    expect(await look(world, proposal, says.done)).toBe('verification_pending')
    expect((await world.effect(proposal)).observations[0]).toMatchObject({ reason: 'facts_not_comparable' })
  })
})

describe.each(STORES)('budgets on %s', (store) => {
  it('absences after the boundary are believed to be a matter of time four times, and then a person is asked', async () => {
    const { world, proposal } = await openAccepted(store)
    await world.clock.advance(BOUNDARY - START)
    const outcomes: string[] = []
    for (const _ of [1, 2, 3, 4]) outcomes.push(await look(world, proposal, says.absent))

    const stored = (await world.stored(proposal)).proposal
    const { verifyDueAt } = await world.effect(proposal)
    expect(outcomes).toEqual([PENDING, PENDING, PENDING, 'verification_unresolved'])
    expect(stored).toMatchObject({ status: 'verification_unresolved', reason: 'absences_spent' })
    expect((await world.receipts(proposal)).at(-1)).toBe('verification.unresolved')
    // Trace S54: it is still looked at, slowly.
    expect(verifyDueAt).toBe(world.clock.now() + 24 * HOUR_MS)
  })

  it.each([
    { found: 'the effect', verify: says.done, ends: 'verified' },
    { found: 'a final absence', verify: says.gone('terminal'), ends: 'failed_known' },
    { found: 'nothing new', verify: says.absent, ends: 'verification_unresolved' },
  ])('trace S54: the slow probe of what is unresolved for its budget finds $found', async ({ verify, ends }) => {
    const { world, proposal } = await openAccepted(store, {
      ...resendAfter('terminal'),
      verification: { absences: 1, slowProbe: '1d' },
      lifetime: '30d',
    })
    await world.clock.advance(BOUNDARY - START)
    await look(world, proposal, says.absent)
    expect((await world.reconcile(proposal)).outcome).toBe('verification_unresolved')
    expect((await world.effect(proposal)).observations).toHaveLength(1)

    expect(await look(world, proposal, verify)).toBe(ends)
    const { verifyDueAt } = await world.effect(proposal)
    expect(verifyDueAt).toBe(ends === 'verification_unresolved' ? world.clock.now() + 24 * HOUR_MS : null)
  })

  it('outages have a budget of their own', async () => {
    const { world, proposal } = await openAccepted(store, { verification: { unavailables: 3, absences: 2 } })
    await world.clock.advance(BOUNDARY - START)
    await look(world, proposal, says.absent)
    const outcomes: string[] = []
    for (const _ of [1, 2, 3]) outcomes.push(await look(world, proposal, says.unavailable))

    expect(outcomes).toEqual(['verification_pending', 'verification_pending', 'verification_unresolved'])
    expect((await world.stored(proposal)).proposal).toMatchObject({ reason: 'unavailables_spent' })
  })

  it('waits double, with a tenth of jitter at most, from the time after the answer, up to the longest wait', async () => {
    const { world, proposal } = await openAccepted(store, { verification: { waitMax: '1m' } })
    await world.clock.advance(BOUNDARY - START)
    const waits: number[] = []
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      await look(world, proposal, (input) => {
        world.clock.setWall(world.clock.now() + 2_000)
        void input
        return says.unavailable()
      })
      waits.push(((await world.effect(proposal)).verifyDueAt ?? 0) - world.clock.now())
    }

    for (const [index, ms] of [10_000, 20_000, 40_000, 60_000, 60_000, 60_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(ms)
      expect(waits[index]).toBeLessThanOrEqual(ms * 1.1)
    }
  })

  it('rule R6: what is read too early is read again at the boundary at the latest', async () => {
    const { world, proposal } = await openAccepted(store, { verification: { delay: '5s' } })
    const reads: number[] = []
    while ((await world.effect(proposal)).verifyDueAt !== null && world.clock.now() < BOUNDARY) {
      await look(world, proposal, says.gone('terminal'))
      reads.push(world.clock.now())
    }

    expect(reads.at(-1)).toBe(BOUNDARY)
    expect((await world.stored(proposal)).proposal.status).toBe('failed_known')
    expect((await world.effect(proposal)).absencesSpent).toBe(0)
  })

  it('rule R6: the proof `settled` needs two reads after the boundary, as far apart as a request may be under way', async () => {
    const { world, proposal } = await openAccepted(store, {
      acceptProof: { failure: ['settled'] },
      verification: { delay: '1s', waitMax: '1s', absences: 100 },
    })
    await world.clock.advance(BOUNDARY - START)
    const first = await look(world, proposal, says.gone('settled'))
    await world.clock.advance(IN_FLIGHT_MS - 1)
    const early = await look(world, proposal, says.gone('settled'))
    await world.clock.advance(1)
    const last = await look(world, proposal, says.gone('settled'))

    expect([first, early, last]).toEqual(['verification_pending', 'verification_pending', 'failed_known'])
  })

  it('an admission starts both budgets anew', async () => {
    const { world, proposal } = await openAccepted(store, {
      ...resendAfter('terminal'),
      verification: { absences: 2 },
    })
    await world.clock.advance(BOUNDARY - START)
    await look(world, proposal, says.absent)
    expect(await look(world, proposal, says.gone('terminal'))).toBe('resend_allowed')

    await world.execute(proposal)

    const effect = await world.effect(proposal)
    expect([effect.attempts.length, effect.absencesSpent, effect.unavailablesSpent]).toEqual([2, 0, 0])
  })
})

describe.each(STORES)('what sticks on %s', (store) => {
  it.each([
    {
      what: 'a mismatch',
      verify: says.doneAs({ facts: { ...FACTS, '/amount': { amount: '9.00', currency: 'EUR' } } }),
    },
    { what: 'a duplicate', verify: says.doneAs({ matches: 2 }) },
  ])('trace S28: $what stays until it is settled, whatever is read later', async ({ verify }) => {
    const { world, proposal } = await openAccepted(store)
    await look(world, proposal, verify)

    for (const later of [says.done, says.gone('terminal'), says.absent]) {
      world.action.methods.verify = answering(later)
      await world.clock.advance(10 * MINUTE_MS)
      const answer = await world.runtime.reconcile(operator, proposal, { now: true })
      expect(answer.status).toBe('verification_unresolved')
      expect(answer.nextStep).toBe('operator')
    }
  })

  it('invariant I14: a contradiction keeps both answers and asks for a person', async () => {
    const { world, proposal } = await openAccepted(store)
    expect(await look(world, proposal, says.done)).toBe('verified')
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.clock.advance(10 * MINUTE_MS)

    const answer = await world.runtime.reconcile(operator, proposal, { now: true })

    const { observations } = await world.effect(proposal)
    expect(answer).toMatchObject({
      outcome: 'verification_unresolved',
      reason: 'conflicting_evidence',
      attention: ['conflicting_evidence'],
      evidence: { status: 'UNKNOWN', conflict: true },
    })
    expect(observations.map(({ verdict }) => verdict)).toEqual(['CONFIRMED', 'FAILED'])
    expect(answer.result).toBeNull()
  })

  it('trace S33: a reversal seen before completion was is a completion, and is marked', async () => {
    const { world, proposal } = await openAccepted(store)

    expect(await look(world, proposal, says.undone)).toBe('verified')
    expect((await world.stored(proposal)).proposal.attention).toEqual(['reversed'])
  })

  it('trace S33: a reversal seen later leaves what is verified verified, and is marked', async () => {
    const { world, proposal } = await openAccepted(store)
    await look(world, proposal, says.done)
    world.action.methods.verify = answering(says.undone)

    const answer = await world.runtime.reconcile(operator, proposal, { now: true })

    expect([answer.status, answer.attention]).toEqual(['verified', ['reversed']])
  })
})

describe.each(STORES)('sending again on %s', (store) => {
  it('design D10: a final absence of an accepted kind releases the effect, and the second attempt is the last step of it', async () => {
    const { world, proposal } = await openAccepted(store, resendAfter('terminal'))
    world.action.business.booked.length = 0
    await world.clock.advance(BOUNDARY - START)

    expect(await look(world, proposal, says.gone('terminal'))).toBe('resend_allowed')
    const answer = await world.execute(proposal)

    expect([answer.status, answer.evidence?.attempts]).toEqual(['verification_pending', 2])
    expect(await look(world, proposal, says.done)).toBe('verified')
    expect((await world.effect(proposal)).attempts.map(({ proposal: by }) => by)).toEqual([proposal, proposal])
  })

  it.each([
    {
      without: 'a kind that the definition accepts for it',
      contract: { acceptProof: { failure: ['terminal'] } },
      at: 0,
    },
    { without: 'an attempt left', contract: { ...resendAfter('terminal'), attemptsMax: 1 }, at: 0 },
    {
      without: 'a key that the target still remembers',
      contract: { ...resendAfter('settled'), lifetime: '3d' },
      at: 24 * HOUR_MS,
    },
    {
      without: 'time left for the proposal',
      contract: { ...resendAfter('terminal'), lifetime: '10m' },
      at: 10 * MINUTE_MS,
    },
  ])('design D10: without $without it is failed_known', async ({ contract, at }) => {
    const { world, proposal } = await openAccepted(store, contract)
    const proof = JSON.stringify(contract).includes('settled') ? 'settled' : 'terminal'
    await world.clock.advance(BOUNDARY - START + at)
    world.action.methods.verify = answering(says.gone(proof))
    await world.reconcile(proposal)
    if (proof === 'settled') {
      await world.clock.advance(IN_FLIGHT_MS)
      await world.reconcile(proposal)
    }

    expect((await world.stored(proposal)).proposal.status).toBe('failed_known')
    expect(await world.reconcile(proposal)).toMatchObject({ nextStep: 'prepare_again' })
    expect(await world.execute(proposal)).toMatchObject({ outcome: 'failed_known' })
    expect(world.log.executed).toHaveLength(1)
  })
})
