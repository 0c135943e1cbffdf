// Exports a bundle from a database file: whoever holds the file may read all of it, so no right is asked for.
import { isReference } from '../../effect/reference.ts'
import { NotFound } from '../../proposal/errors.ts'
import type { EvidenceBundle } from '../../proposal/receipts/evidence-bundle.ts'
import { readBundle } from '../../runtime/bundle.ts'
import { systemClock } from '../../runtime/system-clock.ts'
import { openDatabase } from '../database.ts'

/** No keys are needed: a bundle has nothing that is sealed. @throws NotFound, Unavailable, StoreUnavailable */
export async function exportFromFile(database: string, tenant: string, proposal: string): Promise<EvidenceBundle> {
  if (!isReference(tenant) || !isReference(proposal)) throw new NotFound()
  const store = await openDatabase(database)
  try {
    const exportedAt = systemClock.now()
    const bundle = await readBundle(store, tenant, proposal, { exportedAt, mayName: async () => true })
    if (bundle === null) throw new NotFound()
    return bundle
  } finally {
    await store.close()
  }
}
