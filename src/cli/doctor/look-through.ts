// Looks through everything that a store holds: every chain and every fold, over all tenants, past whatever is damaged.
import { limits } from '../../effect/limits.ts'
import type { Reference } from '../../effect/reference.ts'
import { StoredDataCorrupt } from '../../proposal/errors.ts'
import type { EvidenceBundle } from '../../proposal/receipts/evidence-bundle.ts'
import { verifyEvidence } from '../../proposal/receipts/verify-evidence.ts'
import { readBundle } from '../../runtime/bundle.ts'
import type { Store } from '../../runtime/ports.ts'

/** Something that is not as this library writes it. `check` is what it speaks against. */
export interface Finding {
  readonly check: 'receipts' | 'evidence'
  readonly tenant: string
  /** Null where a row is damaged that belongs to no proposal. */
  readonly proposal: string | null
  /** A code, and where there is one the receipt that shows it or the address of the row. */
  readonly problem: string
}

/** What was looked at, and what was found. */
export interface LookedThrough {
  readonly tenants: number
  readonly proposals: number
  readonly findings: readonly Finding[]
  /** The newest instant on record; 0 for an empty store. */
  readonly newestAt: number
}

/** Reads only. A row that cannot be read is a finding, and everything else is still looked at. */
export async function lookThrough(store: Store, now: number): Promise<LookedThrough> {
  const findings: Finding[] = []
  const tenants = await store.tenants()
  let proposals = 0
  let newestAt = 0
  for (const tenant of tenants) {
    const { refs, damaged } = await referencesOf(store, tenant)
    findings.push(...damaged)
    proposals += refs.length
    for (const ref of refs) {
      const looked = await lookAt(store, tenant, ref, now)
      findings.push(...looked.findings)
      newestAt = Math.max(newestAt, looked.newestAt)
    }
  }
  return { tenants: tenants.length, proposals, findings, newestAt }
}

interface Looked {
  readonly findings: readonly Finding[]
  readonly newestAt: number
}

async function lookAt(store: Store, tenant: Reference, proposal: Reference, now: number): Promise<Looked> {
  try {
    const bundle = await readBundle(store, tenant, proposal, { exportedAt: now, mayName: async () => true })
    if (bundle === null) {
      return { findings: [{ check: 'receipts', tenant, proposal, problem: 'proposal_missing' }], newestAt: 0 }
    }
    const newestAt = Math.max(0, ...bundle.receipts.map(({ body }) => body?.at ?? 0))
    return { findings: await judged(store, tenant, proposal, bundle), newestAt }
  } catch (error) {
    return { findings: [{ check: 'receipts', tenant, proposal, problem: unreadable(error) }], newestAt: 0 }
  }
}

async function judged(
  store: Store,
  tenant: Reference,
  proposal: Reference,
  bundle: EvidenceBundle,
): Promise<readonly Finding[]> {
  const report = verifyEvidence(bundle)
  if (report.kind === 'malformed') {
    return report.problems.map(({ path }) => ({ check: 'receipts', tenant, proposal, problem: `malformed at ${path}` }))
  }
  const chain = [...report.integrity.problems, ...report.consistency.problems].map(({ sequence, problem }): Finding => {
    return { check: 'receipts', tenant, proposal, problem: `${problem} at receipt ${sequence}` }
  })
  if (report.outcome.statusAgrees || (await isKnown(store, tenant, proposal))) return chain
  const { evidence } = report.outcome
  const problem = `status ${bundle.status} with evidence ${evidence ?? 'none'}`
  return [...chain, { check: 'evidence', tenant, proposal, problem }]
}

// A closed proposal keeps its status whatever turns up later; then a person is asked already (rules R3).
async function isKnown(store: Store, tenant: Reference, ref: Reference): Promise<boolean> {
  const stored = await store.proposal(tenant, ref)
  // That a second operator is waited for says nothing about the status.
  return stored?.kind === 'live' && stored.proposal.attention.some((flag) => flag !== 'settlement_unconfirmed')
}

// No read lists what is erased; but every proposal has left its reference in the outbox.
async function referencesOf(
  store: Store,
  tenant: Reference,
): Promise<{ readonly refs: readonly Reference[]; readonly damaged: readonly Finding[] }> {
  const refs = new Set<Reference>()
  const damaged: Finding[] = []
  for (const pages of [listed, named]) {
    try {
      for await (const ref of pages(store, tenant)) refs.add(ref)
    } catch (error) {
      damaged.push({ check: 'receipts', tenant, proposal: null, problem: unreadable(error) })
    }
  }
  return { refs: [...refs].toSorted(), damaged }
}

async function* listed(store: Store, tenant: Reference): AsyncGenerator<Reference> {
  let after: Reference | undefined
  for (;;) {
    const page = await store.list({ tenant, limit: limits.pageItems, ...(after === undefined ? {} : { after }) })
    for (const { ref } of page) yield ref
    after = page.at(-1)?.ref
    if (page.length < limits.pageItems) return
  }
}

async function* named(store: Store, tenant: Reference): AsyncGenerator<Reference> {
  let after = 0
  for (;;) {
    const page = await store.events(tenant, after, limits.pageItems)
    for (const { proposal } of page) yield proposal
    after = page.at(-1)?.position ?? after
    if (page.length < limits.pageItems) return
  }
}

function unreadable(error: unknown): string {
  return error instanceof StoredDataCorrupt ? `damaged row ${error.address}` : 'unreadable'
}
