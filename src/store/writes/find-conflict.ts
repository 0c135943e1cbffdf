// Reads what stands where a change would write: the facts from which its conflict is decided.
import type { Kysely } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import type { Change } from '../../runtime/ports.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Found } from '../conflicts.ts'
import { firstOf, type Operation, together } from '../operation.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'
import { effectFinder } from './find-effect.ts'
import { refOf, requestKeysOf, touchedProposals } from './touched.ts'

/** The look before the write, over the statements of one database. */
export function conflictFinder(
  db: Kysely<Tables>,
  capabilities: Capabilities,
): (change: Change) => Operation<Omit<Found, 'now'>> {
  const { locksRows } = capabilities
  const proposalState = statement((key: { tenant: string; ref: string }) => {
    return db
      .selectFrom('proposals')
      .select(['revision', 'erasure'])
      .where('tenant', '=', key.tenant)
      .where('ref', '=', key.ref)
      .$if(locksRows, (select) => select.forNoKeyUpdate())
  })
  const requestKey = statement((key: { tenant: string; hash: string }) => {
    return db
      .selectFrom('request_keys')
      .select('proposal')
      .where('tenant', '=', key.tenant)
      .where('hash', '=', key.hash)
  })
  const openRestore = statement((_: object) => {
    return db.selectFrom('restores').select('number').where('acknowledged_at', 'is', null)
  })
  const findEffect = effectFinder(db, capabilities)

  return function* find(change) {
    const { tenant } = change
    const writes = touchedProposals(change)
    const [states, used, restores, effect] = yield* together([
      together(writes.map((write) => firstOf(proposalState({ tenant, ref: refOf(write) })))),
      together(requestKeysOf(change).map((hash) => firstOf(requestKey({ tenant, hash })))),
      // Nothing is admitted by a store that may be an older copy of itself (rules R15).
      together(isAdmission(change) ? [firstOf(openRestore({}))] : []),
      findEffect(change),
    ])
    const proposals = new Map<Reference, { revision: number; isErased: boolean }>()
    for (const [index, write] of writes.entries()) {
      const stored = states[index] ?? null
      if (stored !== null) {
        proposals.set(refOf(write), { revision: stored.revision, isErased: stored.erasure === 'erased' })
      }
    }
    const isRequestKeyTaken = used.some((key) => key !== null)
    return { proposals, isRequestKeyTaken, isHeld: restores.some((open) => open !== null), ...effect }
  }
}

/** Whether an executor or an operation is called for this change, once it has landed. */
export function isAdmission({ effect }: Change): boolean {
  return effect !== null && effect.opened !== null
}
