// A long campaign of the HTTP fuzzer, run by hand: `node test/campaigns/http-fuzz.ts --memory 200000 --sqlite 5000 --seed 1`.
import { parseArgs } from 'node:util'
import { fuzz } from '../http/fuzz/campaign.ts'
import type { StoreName } from '../store/fresh-stores.ts'

/** Each part has the next seed and is told of when it is done, so that a campaign that was cut short has shown something. */
const CASES_A_PART = 10_000

const { values } = parseArgs({
  options: {
    memory: { type: 'string', default: '0' },
    sqlite: { type: 'string', default: '0' },
    seed: { type: 'string' },
    path: { type: 'string' },
  },
})

const first = Number(values.seed ?? Date.now() % 2 ** 31)
const repeated = values.path === undefined ? {} : { path: values.path }
const total = new Map<string, number>()

await carryOut('memory', Number(values.memory))
await carryOut('sqlite', Number(values.sqlite))
for (const [what, count] of [...total].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  process.stdout.write(`  ${what}: ${count}\n`)

async function carryOut(store: StoreName, wanted: number): Promise<void> {
  for (let part = 0; part * CASES_A_PART < wanted; part++) {
    const beganAt = Date.now()
    const cases = Math.min(CASES_A_PART, wanted - part * CASES_A_PART)
    const { counts } = await fuzz({ store, cases, seed: first + part, ...repeated })
    for (const [what, count] of counts) total.set(what, (total.get(what) ?? 0) + count)
    const seconds = Math.round((Date.now() - beganAt) / 1_000)
    process.stdout.write(
      `${store}: ${counts.get('cases')} cases from seed ${first + part} in ${seconds} s, every check held\n`,
    )
  }
}
