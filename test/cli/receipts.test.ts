// countersign receipts: a bundle from a database file, verified offline, with every part of the report by itself.
import { describe, expect, it } from 'vitest'
import type { EvidenceBundle } from '../../src/proposal/receipts/evidence-bundle.ts'
import { OTHER_TENANT, TENANT } from '../runtime/sessions.ts'
import { countersign, type Run } from './run-countersign.ts'
import { type StoredProposals, storedProposals } from './stores.ts'

describe('receipts export and verify', () => {
  it.each(['verified', 'waiting', 'erased'] as const)(
    'a proposal that is %s passes, from file to verdict',
    async (which) => {
      const stored = await storedProposals()

      const exported = await exportOf(stored, stored[which])
      const { exitCode, stdout } = await verified(exported.stdout)

      expect(exported.exitCode).toBe(0)
      expect(exitCode).toBe(0)
      expect(stdout).toBe(
        {
          verified: [
            'integrity    holds (contents checked)',
            'consistency  holds',
            'outcome      CONFIRMED, status agrees',
          ],
          waiting: [
            'integrity    holds (contents checked)',
            'consistency  holds',
            'outcome      no attempt, status agrees',
          ],
          erased: [
            'integrity    holds (links checked)',
            'consistency  holds',
            'outcome      no attempt, status agrees',
          ],
        }[which].join('\n') + '\n',
      )
    },
  )

  it('knows no proposal of another tenant, none that is unknown and none that is malformed', async () => {
    const stored = await storedProposals()

    const runs = await Promise.all(
      [
        [stored.verified, OTHER_TENANT],
        [stored.foreign, TENANT],
        ['unknown', TENANT],
        ['\u0000', TENANT],
        [stored.verified, ''],
      ].map(async ([proposal = '', tenant = '']) => exportOf(stored, proposal.replace('\u0000', '\u200B'), tenant)),
    )

    for (const run of runs) {
      expect(run).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: 'countersign: There is no such proposal, or it may not be read.\n',
      })
    }
  })

  it('tells integrity, consistency and outcome apart', async () => {
    const stored = await storedProposals()
    const bundle = JSON.parse((await exportOf(stored, stored.verified)).stdout) as EvidenceBundle
    const altered = bundle.receipts.map((receipt) => ({ ...receipt, hash: receipt.hash.replace(/^./, 'x') }))

    const runs = {
      integrity: await verified(JSON.stringify({ ...bundle, receipts: altered }), ['--json']),
      consistency: await verified(JSON.stringify({ ...bundle, status: 'failed_known' }), ['--json']),
      outcome: await verified(JSON.stringify({ ...bundle, observations: [] }), ['--json']),
    }

    expect(Object.values(runs).map(({ exitCode }) => exitCode)).toEqual([1, 1, 1])
    expect(verdictsOf(runs.integrity)).toEqual({ integrity: false, consistency: true, outcome: true })
    expect(verdictsOf(runs.consistency)).toEqual({ integrity: true, consistency: false, outcome: false })
    expect(verdictsOf(runs.outcome)).toEqual({ integrity: true, consistency: true, outcome: false })
  })

  it('finds a chain that was made anew by a receipt that was kept elsewhere', async () => {
    const stored = await storedProposals()
    const { stdout } = await exportOf(stored, stored.verified)
    const { receipts } = JSON.parse(stdout) as EvidenceBundle
    const kept = receipts[2]

    const same = await verified(stdout, ['--head', `3:${kept?.hash ?? ''}`])
    const other = await verified(stdout, ['--head', `3:${receipts[1]?.hash ?? ''}`])

    expect([same.exitCode, other.exitCode]).toEqual([0, 1])
    expect(other.stdout).toContain('integrity    broken')
    expect(other.stdout).toContain('receipt 3: head_differs')
  })

  it('what is no bundle exits with 2 and is told by its place, never by its value', async () => {
    const run = await verified(JSON.stringify({ format: 'sesame-secret' }))

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toMatch(
      /^countersign: This is no evidence bundle: what is at "\/\w+" is not what a bundle has there\.\n$/,
    )
    expect(run.stderr).not.toContain('sesame')
  })
})

async function exportOf({ cwd, db }: StoredProposals, proposal: string, tenant: string = TENANT): Promise<Run> {
  return countersign(['receipts', 'export', proposal, '--db', db, '--tenant', tenant], { cwd })
}

async function verified(bundle: string, args: readonly string[] = []): Promise<Run> {
  return countersign(['receipts', 'verify', '-', ...args], { input: bundle })
}

function verdictsOf({ stdout }: Run): Readonly<Record<string, boolean>> {
  const { integrity, consistency, outcome } = JSON.parse(stdout) as {
    readonly integrity: { readonly holds: boolean }
    readonly consistency: { readonly holds: boolean }
    readonly outcome: { readonly statusAgrees: boolean }
  }
  return { integrity: integrity.holds, consistency: consistency.holds, outcome: outcome.statusAgrees }
}
