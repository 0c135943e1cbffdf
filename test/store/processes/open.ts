// Opens a store and says whether that went well; the sentence of the refusal if not.
import process from 'node:process'
import { sqliteStore } from '../../../src/sqlite.ts'
import { startBarrier } from './barrier.ts'

const [path = '', barrier] = process.argv.slice(2)
if (barrier === 'together') await startBarrier()
try {
  const store = await sqliteStore(path)
  await store.close()
  process.stdout.write('opened\n')
} catch (error) {
  process.stdout.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`)
}
