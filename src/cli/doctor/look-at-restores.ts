// Looks at the gate of restores: whether anything waits to be acknowledged, and whether a restore would be noticed.
import { existsSync } from 'node:fs'
import type { Store } from '../../runtime/ports.ts'
import { type Check, check } from './check.ts'

/** Nothing is compared, since what is found by that is stored: servers do it when they start. */
export async function lookAtRestores(store: Store, witness: string | null): Promise<Check> {
  const { open } = await store.restore()
  if (open !== null) {
    const known = open.witnessed === null ? 'nothing' : `${open.witnessed}`
    const counts = `the store knows of ${open.admissions} admissions and its witness of ${known}`
    return check('restore', false, `Nothing is admitted (${open.finding}: ${counts}); see "countersign restore".`)
  }
  if (witness === null || !existsSync(witness)) {
    return check('restore', true, 'There is no witness here: an older copy that is put back would not be noticed.')
  }
  return check('restore', true, `Nothing is to be acknowledged; the witness is ${witness}.`)
}
