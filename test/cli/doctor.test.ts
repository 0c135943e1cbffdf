// countersign doctor: a whole store is good, and whatever is wrong is named while everything else is still looked at.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createKeyFile } from '../../src/runtime/keys/key-file.ts'
import { TENANT } from '../runtime/sessions.ts'
import { countersign } from './run-countersign.ts'
import { type StoredProposals, storedProposals } from './stores.ts'

interface Report {
  readonly checks: readonly { readonly name: string; readonly state: string; readonly detail: string }[]
  readonly findings: readonly {
    readonly tenant: string
    readonly proposal: string | null
    readonly problem: string
  }[]
}

describe('the doctor', () => {
  it('finds a store good, over all tenants and with what is erased, and changes nothing', async () => {
    const stored = await storedProposals()
    const before = readFileSync(stored.db)

    const { exitCode, report } = await examine(stored)

    expect(report.findings).toEqual([])
    expect(failed(report)).toEqual([])
    expect(report.checks.map(({ name }) => name).join(' ')).toBe(
      'node driver database migrations keys restore clock receipts evidence',
    )
    expect(report.checks.at(-1)?.detail).toBe('Status and evidence are whole (proposals: 4, tenants: 2).')
    expect(exitCode).toBe(0)
    expect(readFileSync(stored.db)).toEqual(before)
  })

  it('says the same in lines', async () => {
    const { db, cwd } = await storedProposals()

    const { stdout, exitCode } = await countersign(['doctor', '--db', db], { cwd })

    expect(exitCode).toBe(0)
    expect(stdout.trimEnd().split('\n')).toHaveLength(9)
    expect(stdout).toMatch(/^good {4}node /)
  })

  it('names a row that cannot be read, and still looks at the rest', async () => {
    const stored = await storedProposals()
    stored.tamper(`update proposals set policy = '{}' where ref = '${stored.waiting}'`)
    stored.tamper(
      `update receipts set participant = 'user:frank' where participant = 'user:fiona' and proposal = '${stored.verified}'`,
    )

    const { exitCode, report } = await examine(stored)

    expect(exitCode).toBe(1)
    expect(failed(report)).toEqual(['receipts'])
    expect(report.findings).toContainEqual({
      check: 'receipts',
      tenant: TENANT,
      proposal: stored.waiting,
      problem: `damaged row proposals/${TENANT}/${stored.waiting}`,
    })
    const altered = report.findings.filter(({ proposal }) => proposal === stored.verified)
    expect(altered.map(({ problem }) => problem)).toEqual(['hash_differs at receipt 2'])
  })

  it.each([
    ['proposals', `set policy = '{}' where status = 'verified'`],
    ['approvals', `set roles = 'x'`],
    ['keys', `set proposal = 'x' || proposal`],
    ['effects', `set settlement = 'x'`],
    ['attempts', `set ending = 'x'`],
    ['observations', `set flags = 'x'`],
    ['receipts', `set detail = 'x' where type = 'approval.approved'`],
    ['events', `set type = 'x' where type = 'proposal.executing'`],
  ])('a damaged row of %s is named by its table, and everything else is looked at', async (table, damage) => {
    const stored = await storedProposals()
    stored.tamper(`update ${table} ${damage}`)
    stored.tamper(`update receipts set at = at + 1 where proposal = '${stored.foreign}'`)

    const { exitCode, report } = await examine(stored)

    expect(exitCode).toBe(1)
    const problems = report.findings.map(({ problem }) => problem)
    expect(problems).toContainEqual(expect.stringMatching(new RegExp(`^damaged row ${table}/`)))
    expect(report.findings.map(({ proposal }) => proposal)).toContain(stored.foreign)
  })

  it('names a proposal whose row is gone', async () => {
    const stored = await storedProposals()
    stored.tamper(`delete from proposals where ref = '${stored.waiting}'`)

    const { report } = await examine(stored)

    expect(report.findings).toEqual([
      { check: 'receipts', tenant: TENANT, proposal: stored.waiting, problem: 'proposal_missing' },
    ])
  })

  it('folds the evidence anew: a status that it does not carry is found', async () => {
    const stored = await storedProposals()
    stored.tamper('delete from observations')

    const { exitCode, report } = await examine(stored)

    expect(exitCode).toBe(1)
    expect(failed(report)).toEqual(['evidence'])
    expect(report.findings).toMatchObject([
      { proposal: stored.verified, problem: 'status verified with evidence UNKNOWN' },
    ])
  })

  it('finds another reference key, and a key that is missing', async () => {
    const stored = await storedProposals()
    const other = join(stored.cwd, 'other.keys')
    await createKeyFile(other)
    const renamed = join(stored.cwd, 'renamed.keys')
    copyFileSync(stored.keys, renamed)
    writeFileSync(renamed, readFileSync(stored.keys, 'utf8').replace('k1=', 'k9='))

    const ofOther = await examine(stored, ['--keys', other])
    const ofRenamed = await examine(stored, ['--keys', renamed])

    expect([ofOther.exitCode, ofRenamed.exitCode]).toEqual([1, 1])
    expect(detail(ofOther.report, 'keys')).toBe('The store was first used with another reference key.')
    expect(detail(ofRenamed.report, 'keys')).toBe('Content is sealed under keys that are missing: k1.')
  })

  it('finds a clock that is behind the record', async () => {
    const stored = await storedProposals(Date.UTC(2100, 0, 1))

    const { exitCode, report } = await examine(stored)

    expect(exitCode).toBe(1)
    expect(failed(report)).toEqual(['clock'])
    expect(detail(report, 'clock')).toMatch(/^The record is \d+ s ahead/)
  })

  it('exits with 2 where there is nothing that could be opened, and says which checks were not made', async () => {
    const stored = await storedProposals()
    writeFileSync(stored.db, 'something else altogether, and long enough for a header')

    const { exitCode, report } = await examine(stored)

    expect(exitCode).toBe(2)
    expect(failed(report)).toEqual(['database'])
    expect(
      report.checks
        .filter(({ state }) => state === 'skipped')
        .map(({ name }) => name)
        .join(' '),
    ).toBe('migrations keys restore clock receipts evidence')
  })
})

async function examine(
  { cwd, db }: StoredProposals,
  args: readonly string[] = [],
): Promise<{ readonly exitCode: number | null; readonly report: Report }> {
  const { exitCode, stdout } = await countersign(['doctor', '--json', '--db', db, ...args], { cwd })
  return { exitCode, report: JSON.parse(stdout) as Report }
}

function failed({ checks }: Report): readonly string[] {
  return checks.filter(({ state }) => state === 'failed').map(({ name }) => name)
}

function detail({ checks }: Report, name: string): string | undefined {
  return checks.find((check) => check.name === name)?.detail
}
