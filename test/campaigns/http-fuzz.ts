// A long campaign of the HTTP fuzzer, run by hand: `node test/campaigns/http-fuzz.ts --memory 200000 --sqlite 5000 --seed 1`.
import { parseArgs } from 'node:util'
import { fuzz } from '../http/fuzz/campaign.ts'
import type { StoreKind } from '../runtime/harness.ts'

const { values } = parseArgs({
  options: {
    memory: { type: 'string', default: '0' },
    sqlite: { type: 'string', default: '0' },
    seed: { type: 'string' },
    path: { type: 'string' },
  },
})

const seed = Number(values.seed ?? Date.now() % 2 ** 31)

await carryOut('memory', Number(values.memory))
await carryOut('sqlite', Number(values.sqlite))

async function carryOut(store: StoreKind, cases: number): Promise<void> {
  if (cases === 0) return
  const beganAt = Date.now()
  const { counts } = await fuzz({ store, cases, seed, ...(values.path === undefined ? {} : { path: values.path }) })
  const seconds = Math.round((Date.now() - beganAt) / 1_000)
  process.stdout.write(`${store}: ${counts.get('cases')} cases from seed ${seed} in ${seconds} s, every check held\n`)
  for (const [what, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(`  ${what}: ${count}\n`)
}
