// The dump of a store: everything that the invariants look at, whoever wrote it.
import type { Effect } from '../../src/effect/effect.ts'
import type { Reference } from '../../src/effect/reference.ts'
import { ProposalKeys } from '../../src/runtime/keys/sealing.ts'
import type { Keyring, LiveProposal, Store } from '../../src/runtime/ports.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import type { CallLog } from './call-log.ts'
import { reference } from './harness.ts'
import type { Dump } from './invariants.ts'

/** Whose proposals are looked at, and where. */
export interface Dumped {
  readonly store: Store
  readonly keyring: Keyring
  readonly tenants: readonly string[]
}

/** What is known of the calls beside the store: the log, the definitions that took part, and the books of the target. */
export type Witnessed = { readonly log: CallLog } & Pick<Dump, 'definitions' | 'booked'>

const PAGE = 200

export async function dumpStore(
  { store, keyring, tenants }: Dumped,
  { log, definitions, booked }: Witnessed,
): Promise<Dump> {
  const proposals: LiveProposal[] = []
  const effects = new Map<string, Effect>()
  const receipts = new Map<string, Awaited<ReturnType<Store['receipts']>>>()
  for (const tenant of tenants.map(reference)) {
    for await (const refs of pagesOf(store, tenant)) {
      const read = refs.map(async (ref) => {
        const stored = await store.proposal(tenant, ref)
        if (stored?.kind !== 'live') return
        proposals.push(stored)
        const effect = await store.effect(stored.proposal.effect)
        if (effect !== null) effects.set(JSON.stringify(effect.key), effect)
        receipts.set(ref, await store.receipts(tenant, ref))
      })
      await Promise.all(read)
    }
  }
  const snapshots = await snapshotsOf(keyring, proposals)
  const { executed, verified, resolved } = log
  return {
    proposals,
    effects: [...effects.values()],
    receipts,
    executed,
    verified,
    resolved,
    snapshots,
    definitions,
    booked,
  }
}

async function* pagesOf(store: Store, tenant: Reference): AsyncIterable<readonly Reference[]> {
  for (let after: Reference | null = null; ; ) {
    const query = { tenant, limit: PAGE, ...(after === null ? {} : { after }) }
    const page: readonly { readonly ref: Reference }[] = await store.list(query)
    yield page.map(({ ref }) => ref)
    after = page.at(-1)?.ref ?? null
    if (page.length < PAGE) return
  }
}

async function snapshotsOf(keyring: Keyring, proposals: readonly LiveProposal[]): Promise<Dump['snapshots']> {
  const keys = new ProposalKeys(keyring, systemClock)
  const snapshots = new Map<string, string>()
  for (const { proposal, key, content } of proposals) {
    const opened = await keys.open({ tenant: proposal.tenant, proposal: proposal.ref }, key).catch(() => null)
    if (opened !== null) snapshots.set(proposal.ref, opened.open('snapshot', content.snapshot))
  }
  return snapshots
}
