// Replaying erasures: what a restore brought back is erased again before anything is served.
import { reason } from '../../proposal/lifecycle/verdict.ts'
import type { Core } from '../core.ts'
import { NOBODY } from '../record.ts'
import { removeContent } from './entomb.ts'

/**
 * Erases what the store's witness knows to have been erased and what is there again; what an effect in doubt stands in the
 * way of is marked, and goes once it is settled. Nobody is asked for the right: it was asked for then. Spec: rules R19,
 * invariant I26, trace S43.
 * @throws StoreUnavailable, PersistenceOutcomeUnknown: then nothing may be served.
 */
export async function replayErasures(core: Core): Promise<void> {
  const { open } = await core.store.restore()
  if (open === null) return
  core.logger.error(
    { finding: open.finding },
    'the store is behind its witness: nothing is admitted until that is acknowledged',
  )
  const undone = await core.store.erasuresUndone()
  if (undone.length === 0) return
  for (const { tenant, proposal } of undone) {
    await removeContent(core, tenant, proposal, { reason: reason('restore_replayed'), actor: NOBODY })
  }
  // Where somebody else reads the files, the sweep of due erasures cleans them.
  const files = await core.store.scrub()
  core.logger.warn({ erased: undone.length, files }, 'erasures that a restore had undone were carried out again')
}
