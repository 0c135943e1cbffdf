// Reads what stands where a change would write: the facts from which its conflict is decided.
import type { Kysely } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import type { Change } from '../../runtime/ports.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Found } from '../conflicts.ts'
import { firstOf, type Operation } from '../operation.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'
import { effectFinder } from './find-effect.ts'

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
    const proposals = new Map<Reference, { revision: number; isErased: boolean }>()
    let isRequestKeyTaken = false
    for (const write of inOrder(change.proposals)) {
      const ref = refOf(write)
      const stored = yield* firstOf(proposalState({ tenant, ref }))
      if (stored !== null) proposals.set(ref, { revision: stored.revision, isErased: stored.erasure === 'erased' })
      if (write.kind === 'insert' && write.requestKeyHash !== null) {
        isRequestKeyTaken ||= (yield* firstOf(requestKey({ tenant, hash: write.requestKeyHash }))) !== null
      }
    }
    // Nothing is admitted by a store that may be an older copy of itself (rules R15).
    const isHeld = isAdmission(change) && (yield* firstOf(openRestore({}))) !== null
    return { proposals, isRequestKeyTaken, isHeld, ...(yield* findEffect(change)) }
  }
}

/** Whether an executor or an operation is called for this change, once it has landed. */
export function isAdmission({ effect }: Change): boolean {
  return effect !== null && effect.opened !== null
}

function refOf(write: Change['proposals'][number]): Reference {
  return write.kind === 'erase' ? write.tombstone.ref : write.proposal.ref
}

// Rows are locked in one order, so that no two changes wait for each other (rules R13).
function inOrder(writes: Change['proposals']): Change['proposals'] {
  return writes.toSorted((one, other) => (refOf(one) < refOf(other) ? -1 : 1))
}
