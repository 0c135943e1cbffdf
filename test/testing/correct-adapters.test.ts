// Correct adapters pass the conformance kit whole: the two examples against the real business system, and others in process.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { InvoicePaymentAction } from '../../examples/docs/invoice-action.ts'
import { RefundAction } from '../../examples/docs/refund-action.ts'
import { refundWorld, secrets } from '../../examples/docs/refund-world.ts'
import type { Execute, Executed, Verified, Verify } from '../../src/index.ts'
import {
  actionConformance,
  type ActionWorld,
  type BusinessSystem,
  type ClauseResult,
  type ConformanceReport,
  failureCodes,
  type HttpGate,
  startBusinessSystem,
  startHttpGate,
} from '../../src/testing.ts'
import { invoiceWorld } from './kits/invoice-world.ts'
import { CreditAction, type CreditContract } from './kits/credit-action.ts'
import { Ledger, LedgerUnreachable } from './kits/ledger.ts'
import { ledgerWorld } from './kits/ledger-world.ts'
import { Archive, archiveWorld, type Removal, RemovalAction } from './kits/removal-action.ts'

/** A thousand schedules are some ten thousand requests; nothing is judged by time. */
const MANY_REQUESTS_MS = 300_000

describe('correct adapters against the business system', () => {
  let folder: string
  let business: BusinessSystem
  let gate: HttpGate

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-kits-'))
    business = await startBusinessSystem({ file: join(folder, 'business.db') })
    gate = await startHttpGate(business.url, { privateNote: secrets[1] })
  })
  afterAll(async () => {
    await gate.close()
    await business.stop()
    await rm(folder, { recursive: true })
  })

  const refund = async () => actionConformance(new RefundAction(gate.url), refundWorld(business, gate))
  const invoice = async () => actionConformance(new InvoicePaymentAction(gate.url), invoiceWorld(business, gate))

  it.each([
    ['refund', refund],
    ['invoice payment', invoice],
  ])(
    'the %s passes',
    async (_name, run) => {
      const report = await run()

      expect(notPassed(report)).toEqual([])
      expect(report.verdict).toBe('passed')
    },
    MANY_REQUESTS_MS,
  )
})

describe('correct adapters in process', () => {
  it('a credit that is sent again under its own key, and says unknown when nothing came back, passes', async () => {
    const ledger = new Ledger()

    const report = await actionConformance(new PatientCredit(ledger), ledgerWorld(ledger))

    expect(notPassed(report)).toEqual([])
    expect(report.verdict).toBe('passed')
  })

  it('a removal passes', async () => {
    const archive = new Archive()

    const report = await actionConformance(new RemovalAction(archive), archiveWorld(archive))

    expect(notPassed(report)).toEqual([])
    expect(report.verdict).toBe('passed')
  })

  it('a removal that takes what is gone for what it removed is found', async () => {
    const archive = new Archive()

    const report = await actionConformance(new CarelessRemoval(archive), archiveWorld(archive), { schedules: 10 })

    expect(failureCodes(report)).toEqual(['foreign_removal_claimed'])
  })
})

describe('what could not be run', () => {
  it('is said, and nothing of it counts as passed', async () => {
    const ledger = new Ledger()
    const able = ledgerWorld(ledger)
    const world: ActionWorld<CreditContract> = {
      command: async () => able.command(),
      effects: async (command) => able.effects(command),
      writes: async () => able.writes(),
      changes: able.changes,
      beforeNextWrite: (act) => able.beforeNextWrite(act),
      faults: {},
      heal: async () => able.heal(),
      removes: false,
      secrets: [],
    }

    const report = await actionConformance(new CreditAction(ledger), world, { schedules: 10 })

    expect(report.verdict).toBe('incomplete')
    expect(report.clauses.flatMap(({ clause, state }) => (state === 'not_run' ? [clause] : []))).toEqual([
      'preview.no_secrets',
      'resolve.immaterial',
      'execute.lost_answer',
      'execute.lost_request',
      'execute.resend',
      'verify.facts_of_target',
      'verify.two_as_two',
      'verify.lag',
      'verify.truncated',
      'verify.outage',
      'errors.no_secrets',
    ])
    expect(report.clauses.filter(({ state }) => state === 'not_run').every(({ sentence }) => sentence !== '')).toBe(
      true,
    )
  })

  it('is everything where the definition is refused', async () => {
    const ledger = new Ledger()
    const action = new CreditAction(ledger)
    Object.assign(action, { contract: { ...action.contract, facts: [] } })

    expect(failureCodes(await actionConformance(action, ledgerWorld(ledger)))).toEqual(['definition_refused'])
  })

  it('repeats itself with its seed', async () => {
    const run = async (seed: number): Promise<ConformanceReport> => {
      const ledger = new Ledger()
      return actionConformance(new CreditAction(ledger), ledgerWorld(ledger), { seed, schedules: 50 })
    }

    expect(await run(7)).toEqual(await run(7))
    expect((await run(7)).seed).toBe(7)
  })
})

class PatientCredit extends CreditAction {
  override async execute(input: Execute<CreditContract>): Promise<Executed<CreditContract>> {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        return await super.execute(input)
      } catch (error) {
        if (!(error instanceof LedgerUnreachable)) throw error
      }
    }
    return { status: 'failed_unknown', reason: 'ledger_unreachable' }
  }

  override async verify(input: Verify<CreditContract>): Promise<Verified<CreditContract>> {
    try {
      return await super.verify(input)
    } catch {
      return { status: 'target_unavailable' }
    }
  }
}

class CarelessRemoval extends RemovalAction {
  override async verify(input: Verify<Removal>): Promise<Verified<Removal>> {
    const answer = await super.verify(input)
    const { record } = input.snapshot
    const [identity = ''] = input.idempotencyKeys
    const isGone = (await this.archive.version(record)) === null
    const isOurs = this.archive.removals.some((removal) => removal.record === record && removal.key !== null)
    if (answer.status !== 'provisional_absence' || !isGone || isOurs) return answer
    return { status: 'verified_completion', identity, matches: 1, facts: { '/record': record } }
  }
}

function notPassed({ clauses }: ConformanceReport): readonly ClauseResult[] {
  return clauses.filter(({ state }) => state !== 'passed')
}
