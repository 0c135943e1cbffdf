// A store in a crowd: every change shares its commit with others, which meet a conflict or break an invariant.
import type { Change, Store } from '../../src/runtime/ports.ts'
import { InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { emptyChange, inserting } from '../../src/testing/store-conformance/sample-changes.ts'
import { sampleProposal } from '../../src/testing/store-conformance/sample-proposals.ts'

/** What becomes of the others: nothing of them is ever stored. */
export type Crowd = 'conflicts' | 'failures'

/** The store, of which every change is committed between two others. */
export function crowded(store: Store, crowd: Crowd): Store {
  const another = crowd === 'conflicts' ? tooLate : broken
  return new InterceptedStore(store, async (_name, call, change) => {
    if (change === null) return call()
    const [, own] = await Promise.allSettled([store.commit(another(change)), call(), store.commit(another(change))])
    if (own.status === 'rejected') throw own.reason
    return own.value
  })
}

function tooLate({ tenant }: Change): Change {
  return { ...emptyChange(tenant), notAfter: 0 }
}

// Its receipt continues no chain, which the database finds out.
function broken({ tenant }: Change): Change {
  const change = inserting(sampleProposal({ tenant, effect: { ...sampleProposal().effect, tenant } }))
  return { ...change, receipts: change.receipts.map((receipt) => ({ ...receipt, previousHash: 'a'.repeat(64) })) }
}
