// An older copy of a store is put back, and the refund that it knows nothing of is not sent again.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ActionError, acknowledgeRestore, ActionRunner, type Store } from 'countersign'
import { sqliteStore, witnessFile } from 'countersign/sqlite'

const folder = mkdtempSync(join(tmpdir(), 'countersign-'))
const file = join(folder, 'countersign.db')
let sent = 0

// #region witness
async function open(): Promise<Store> {
  return sqliteStore(file, { witness: witnessFile(join(folder, 'elsewhere.witness')) })
}
// #endregion

async function refund(store: Store, order: string): Promise<string> {
  const input = { request: { order }, idempotencyKey: `refund of ${order}` }
  try {
    const { status } = await new ActionRunner({ store }).execute('refund', () => ({ refund: (sent += 1) }), input)
    return status
  } catch (error) {
    return error instanceof ActionError ? error.code : 'something else went wrong'
  }
}

const first = await open()
console.log('ORD-1', await refund(first, 'ORD-1'))
await first.close()
copyFileSync(file, join(folder, 'backup.db'))

const second = await open()
console.log('ORD-2', await refund(second, 'ORD-2'))
await second.close()

console.log('The backup is put back.')
copyFileSync(join(folder, 'backup.db'), file)
const restored = await open()
console.log('ORD-2', await refund(restored, 'ORD-2'))
const { open: found } = await restored.restore()
console.log(`${found?.finding}: calls on record ${found?.admissions}, known to the witness ${found?.witnessed}`)

await acknowledgeRestore({ store: restored, by: 'user:olga', reason: 'backup_restored' })
// What was called before may still be on its way, for as long as a call can take.
console.log('ORD-2', await refund(restored, 'ORD-2'))
await restored.close()
rmSync(folder, { recursive: true })
console.log(`sent: ${sent}`)
