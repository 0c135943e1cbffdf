// A store that has moved to another database is not served where it was.
import { StoreUnavailable } from '../proposal/errors.ts'
import type { Store } from './ports.ts'

/**
 * What would be taken here from now on, such as an approval, is not in the copy that goes on elsewhere.
 * @throws StoreUnavailable unless the store is here, or somebody has acknowledged that it is used here after all
 */
export async function refuseMoved(store: Store): Promise<void> {
  const { open } = await store.restore()
  if (open?.finding !== 'moved') return
  throw new StoreUnavailable(
    'The store was closed to be moved to another database. "countersign migrate" says whether it is there; it is used here only after "countersign restore acknowledge".',
  )
}
