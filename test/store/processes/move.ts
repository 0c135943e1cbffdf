// A process that moves a store and stands still when everything is copied and nothing is committed.
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { moveSqliteToPostgres } from '../../../src/store/postgres-store.ts'

const [from = '', url = '', schema = ''] = process.argv.slice(2)
let looks = 0
await moveSqliteToPostgres({
  from,
  url,
  schema,
  witness: null,
  examine: async () => {
    looks += 1
    if (looks < 2) return
    process.stdout.write('copied\n')
    // For good: a timer keeps the process alive.
    await delay(2 ** 30)
  },
})
