// Checking a bundle offline: altered, reordered and truncated chains are each named, and forged statuses do not fit the evidence.
import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/effect/effect.ts'
import type { EvidenceBundle } from '../../src/proposal/receipts/evidence-bundle.ts'
import type { Receipt, ReceiptBody } from '../../src/proposal/receipts/receipt.ts'
import { STATUSES, type Status } from '../../src/proposal/status.ts'
import { type EvidenceReport, verifyEvidence } from '../../src/proposal/receipts/verify-evidence.ts'
import { attempt, ending, observation, settlement } from '../effect/builders.ts'
import { bundle, chainOf, confirmed, erased, type Step, verifiedStory } from './bundles.ts'
import { absence, confirmation, P2 } from './lifecycle/sample.ts'

const whole = bundle()
const { receipts } = whole
const headOf = ({ sequence, hash }: Receipt): Pick<Receipt, 'sequence' | 'hash'> => ({ sequence, hash })

describe('a bundle as it was exported', () => {
  it('is whole, tells a possible story, and shows what the status says', () => {
    expect(report(whole)).toEqual({
      kind: 'checked',
      integrity: { holds: true, checked: 'contents', problems: [] },
      consistency: { holds: true, problems: [] },
      outcome: {
        evidence: 'CONFIRMED',
        conflict: false,
        duplicatePossible: false,
        settled: null,
        statusAgrees: true,
      },
    })
  })

  it('is held against a receipt that somebody kept elsewhere, the last or an earlier one', () => {
    for (const receipt of receipts) expect(verifyEvidence(whole, headOf(receipt))).toEqual(report(whole))
  })

  it('shows after erasure that its links hold, and says that nothing more was checked', () => {
    expect(report(erased(whole))).toMatchObject({
      integrity: { holds: true, checked: 'links', problems: [] },
      consistency: { holds: true, problems: [] },
      outcome: { evidence: 'CONFIRMED', statusAgrees: true },
    })
  })

  it('is not taken for one if it is none', () => {
    expect(verifyEvidence({ ...whole, receipts: 'none' })).toMatchObject({
      kind: 'malformed',
      problems: [{ path: '/receipts' }],
    })
  })
})

describe('the integrity of a chain', () => {
  it.each<[string, Partial<EvidenceBundle>, readonly string[]]>([
    ['no receipts', { receipts: [] }, ['0 empty']],
    ['the first one taken away', { receipts: receipts.slice(1) }, ['2 gap', '2 link_broken']],
    ['one in the middle taken away', { receipts: without(2) }, ['4 gap', '4 link_broken']],
    ['the last one taken away', { receipts: receipts.slice(0, -1) }, ['4 head_differs']],
    ['the last two taken away', { receipts: receipts.slice(0, -2) }, ['3 head_differs']],
    [
      'the end taken away, and the revision with it',
      { receipts: receipts.slice(0, -1), revision: 3 },
      ['4 head_differs'],
    ],
    ['another revision', { revision: 5 }, ['5 head_differs']],
    ['another last hash', { lastHash: 'f'.repeat(64) }, ['5 head_differs']],
    [
      'two in the wrong order',
      { receipts: swapped(1, 2) },
      ['3 gap', '3 link_broken', '2 order', '2 link_broken', '4 gap', '4 link_broken'],
    ],
    ['one twice', { receipts: [...receipts.slice(0, 2), ...receipts.slice(1)] }, ['2 order', '2 link_broken']],
    ['the chain of another proposal', ofAnother(), ['1 foreign']],
    ['the bundle of another tenant', { tenant: 'tenant-2' }, ['1 foreign']],
    [
      'a receipt of another proposal in between',
      { receipts: receipts.map((one, index) => (index === 2 ? { ...one, proposal: P2 } : one)) },
      ['3 foreign', '3 hash_differs'],
    ],
    ['the salt taken away', { receiptSalt: null }, ['0 salt_missing']],
    ['another salt', { receiptSalt: 'A'.repeat(43) }, [1, 2, 3, 4, 5].map((sequence) => `${sequence} hash_differs`)],
    ['a content taken away', { receipts: altered(4, { body: null }) }, ['5 body_missing']],
  ])('names %s', (_, fields, problems) => {
    const { integrity } = report({ ...whole, ...fields })

    expect(integrity.holds).toBe(false)
    expect(integrity.problems.map(({ sequence, problem }) => `${sequence} ${problem}`)).toEqual(problems)
  })

  it('sees a tail that was cut and covered up only with what somebody kept elsewhere', () => {
    const cut = { ...whole, ...covered(receipts.slice(0, -1)) }
    const last = receipts.at(-1)

    expect(report(cut).integrity.holds).toBe(true)
    expect(last === undefined ? null : verifyEvidence(cut, headOf(last))).toMatchObject({
      integrity: { holds: false, problems: [{ sequence: 5, problem: 'head_differs' }] },
    })
  })

  it('sees a chain that was made anew only with what somebody kept elsewhere', () => {
    const forged = bundle([...verifiedStory.slice(0, 4), ['verification.unresolved', 'verification_unresolved', 1]])
    const [, , , fourth, fifth] = receipts

    expect(report(forged).integrity.holds).toBe(true)
    expect(fifth === undefined ? null : verifyEvidence(forged, headOf(fifth))).toMatchObject({
      integrity: { holds: false },
    })
    expect(fourth === undefined ? null : verifyEvidence(forged, headOf(fourth))).toMatchObject({
      integrity: { holds: true },
    })
  })

  it('of an erased proposal is still cut, torn and mixed up in its links', () => {
    const blank = erased(whole)

    expect(report({ ...blank, receipts: blank.receipts.slice(1) }).integrity.holds).toBe(false)
    expect(report({ ...blank, receipts: blank.receipts.slice(0, -1) }).integrity.holds).toBe(false)
    expect(report({ ...blank, receipts: blank.receipts.toReversed() }).integrity.holds).toBe(false)
    expect(report({ ...blank, receipts: [] }).integrity.holds).toBe(false)
  })
})

describe('threat T11: who did what', () => {
  const fields = Object.keys(receipts[0]?.body ?? {}) as (keyof ReceiptBody)[]
  const other: Readonly<Record<keyof ReceiptBody, unknown>> = {
    type: 'proposal.expired',
    at: 1,
    participant: 'user:mallory',
    trigger: null,
    action: 'example.payments/other@1',
    status: 'expired',
    attempt: 9,
    reason: 'forged',
    externalReference: 'rf-9',
    detail: ['forged'],
    runtimeVersion: '9.9.9',
  }

  it.each(receipts.flatMap(({ sequence }) => fields.map((field) => ({ sequence, field }))))(
    'threat T11 receipt $sequence with another $field is named',
    ({ sequence, field }) => {
      const body = { ...receipts[sequence - 1]?.body, [field]: other[field] } as ReceiptBody
      const { integrity } = report({ ...whole, receipts: altered(sequence - 1, { body }) })

      expect(integrity.problems).toEqual([{ sequence, problem: 'hash_differs' }])
    },
  )

  it.each(receipts.map(({ sequence }) => ({ sequence })))(
    'threat T11 receipt $sequence with another hash is named',
    ({ sequence }) => {
      const { integrity } = report({ ...whole, receipts: altered(sequence - 1, { hash: 'f'.repeat(64) }) })

      expect(integrity.problems).toContainEqual({ sequence, problem: 'hash_differs' })
    },
  )
})

describe('the consistency of a story', () => {
  it.each<[string, EvidenceBundle, readonly string[]]>([
    ['another status than the last receipt’s', { ...whole, status: 'failed_known' }, ['0 status_differs']],
    ['another action', { ...whole, action: 'example.payments/refund@2' }, ['0 action_differs']],
    ['a call without its attempt', bundle(verifiedStory, {}), ['0 attempts_differ']],
    ['an attempt that nobody started', bundle(verifiedStory, twice()), ['0 attempts_differ']],
    ['a story that jumps', told([0, 2, 4]), ['2 transition_not_in_table']],
    ['a story without its beginning', told([1, 2, 3, 4]), ['1 not_prepared_first']],
    [
      'attempts with a gap',
      { ...whole, attempts: renumbered(whole.attempts) },
      ['0 attempts_differ', '0 evidence_not_numbered'],
    ],
    ['observations with a gap', { ...whole, observations: seen({ sequence: 2 }) }, ['0 evidence_not_numbered']],
    [
      'a look at what was never started',
      { ...whole, observations: seen({ covers: { from: 1, to: 2 } }) },
      ['0 evidence_not_numbered'],
    ],
    ['a look backwards', { ...whole, observations: seen({ covers: { from: 3, to: 1 } }) }, ['0 evidence_not_numbered']],
    ['a settlement of later attempts', settledUpTo({ upToAttempt: 2 }), ['0 evidence_not_numbered']],
    ['a settlement after later looks', settledUpTo({ upToSequence: 2 }), ['0 evidence_not_numbered']],
  ])('names %s', (_, one, problems) => {
    const { consistency } = report(one)

    expect(consistency.holds).toBe(false)
    expect(consistency.problems.map(({ sequence, problem }) => `${sequence} ${problem}`)).toEqual(problems)
  })

  it('says nothing about what cannot be folded', () => {
    expect(report({ ...whole, observations: seen({ sequence: 2 }) }).outcome).toEqual({
      evidence: null,
      conflict: false,
      duplicatePossible: false,
      settled: null,
      statusAgrees: false,
    })
  })

  it('is not asked of what is erased', () => {
    expect(report(erased({ ...whole, action: 'example.payments/refund@2' })).consistency.holds).toBe(true)
  })

  it('is told apart from integrity: an untouched chain can tell something impossible', () => {
    expect(report(told([0, 2, 4]))).toMatchObject({ integrity: { holds: true }, consistency: { holds: false } })
  })
})

describe('the outcome', () => {
  const inDoubt = attempt({ ending: ending('failed_unknown') })
  const others = attempt({ proposal: P2, ending: ending('failed_unknown') })
  const refused = attempt({ ending: ending('failed_known') })
  const nothing = 'awaiting_approval approved rejected withdrawn expired stale'
  const doubts = 'executing verification_pending failed_unknown'

  it.each<[string, Partial<Effect>, string, string]>([
    ['no attempt', {}, 'null', `${nothing} superseded`],
    ['in doubt', { attempts: [inDoubt] }, 'UNKNOWN', `${doubts} verification_unresolved`],
    ['confirmed', confirmed, 'CONFIRMED', 'verified superseded verification_unresolved'],
    ['refused', { attempts: [refused] }, 'FAILED', `${nothing} failed_known verification_unresolved`],
    [
      'proven absent',
      { attempts: [inDoubt], observations: [absence()] },
      'FAILED',
      `${nothing} failed_known verification_unresolved`,
    ],
    [
      'in conflict',
      { attempts: [inDoubt], observations: [absence(), confirmation()] },
      'UNKNOWN conflict',
      `${doubts} verification_unresolved`,
    ],
    [
      'twice, perhaps',
      { attempts: [inDoubt, inDoubt], observations: [confirmation({ covers: { from: 1, to: 2 } })] },
      'CONFIRMED duplicatePossible',
      'verified superseded verification_unresolved',
    ],
    [
      'done by another proposal after this one was refused',
      { attempts: [refused, others], observations: [confirmation({ covers: { from: 2, to: 2 } })] },
      'CONFIRMED',
      `${nothing} verified superseded failed_known verification_unresolved`,
    ],
    [
      'another proposal in doubt',
      { attempts: [refused, others] },
      'UNKNOWN',
      `${nothing} ${doubts} failed_known verification_unresolved`,
    ],
    [
      'settled as occurred',
      { attempts: [inDoubt], settlement: settlement('occurred') },
      'CONFIRMED occurred',
      'verified superseded verification_unresolved',
    ],
    [
      'settled as not occurred',
      { attempts: [inDoubt], settlement: settlement('did_not_occur') },
      'FAILED did_not_occur',
      `${nothing} failed_known verification_unresolved`,
    ],
    [
      'closed without an answer',
      { attempts: [inDoubt], settlement: settlement('closed_unknown') },
      'UNKNOWN closed_unknown',
      `${doubts} closed_unknown verification_unresolved`,
    ],
  ])('%s', (_, known, says, agreeing) => {
    const outcomes = STATUSES.map((status) => ({ status, outcome: report(bundle(storyTo(status), known)).outcome }))

    const words = ({ evidence, conflict, duplicatePossible, settled }: EvidenceReport['outcome']): string => {
      return [String(evidence), conflict ? 'conflict' : '', duplicatePossible ? 'duplicatePossible' : '', settled ?? '']
        .filter((word) => word !== '')
        .join(' ')
    }
    expect(new Set(outcomes.map(({ outcome }) => words(outcome)))).toEqual(new Set([says]))
    expect(new Set(outcomes.filter(({ outcome }) => outcome.statusAgrees).map(({ status }) => status))).toEqual(
      new Set(agreeing.split(' ')),
    )
  })

  it('a status that is forged, chain and all, does not fit the evidence', () => {
    const forged = bundle(verifiedStory, { attempts: confirmed.attempts, observations: [observation()] })

    expect(report(forged)).toMatchObject({
      integrity: { holds: true },
      consistency: { holds: true },
      outcome: { evidence: 'UNKNOWN', statusAgrees: false },
    })
  })

  it('a forged tombstone does not fit the evidence either', () => {
    const tombstone = erased({ ...whole, status: 'failed_known' })

    expect(report(tombstone)).toMatchObject({
      integrity: { holds: true },
      consistency: { holds: true },
      outcome: { evidence: 'CONFIRMED', statusAgrees: false },
    })
  })

  function storyTo(status: Status): readonly Step[] {
    return [['proposal.prepared', status]]
  }
})

function report(one: unknown): EvidenceReport {
  const checked = verifyEvidence(one)
  if (checked.kind === 'malformed') throw new Error(JSON.stringify(checked.problems))
  return checked
}

function without(index: number): readonly Receipt[] {
  return receipts.filter((_, at) => at !== index)
}

function swapped(first: number, second: number): readonly Receipt[] {
  const places = receipts.map((_, at) => (at === first ? second : at === second ? first : at))
  return places.flatMap((place) => receipts[place] ?? [])
}

function altered(index: number, fields: Partial<Receipt>): readonly Receipt[] {
  return receipts.map((receipt, at) => (at === index ? { ...receipt, ...fields } : receipt))
}

function covered(chain: readonly Receipt[]): Partial<EvidenceBundle> {
  const last = chain.at(-1)
  return {
    receipts: chain,
    revision: chain.length - 1,
    lastHash: last?.hash ?? '',
    status: last?.body?.status ?? 'awaiting_approval',
  }
}

function ofAnother(): Partial<EvidenceBundle> {
  return covered(chainOf(verifiedStory, undefined, P2))
}

function told(steps: readonly number[]): EvidenceBundle {
  return bundle(verifiedStory.filter((_, step) => steps.includes(step)))
}

function twice(): Pick<Effect, 'attempts' | 'observations'> {
  return { ...confirmed, attempts: [...confirmed.attempts, ...confirmed.attempts] }
}

function renumbered(attempts: EvidenceBundle['attempts']): EvidenceBundle['attempts'] {
  return attempts.map((one) => ({ ...one, number: one.number + 1 }))
}

function seen(fields: Partial<EvidenceBundle['observations'][number]>): EvidenceBundle['observations'] {
  return [confirmation(fields)]
}

function settledUpTo(fields: Parameters<typeof settlement>[1]): EvidenceBundle {
  return bundle(verifiedStory, { ...confirmed, settlement: settlement('occurred', fields) })
}
