// What a witness adds to an execution, which is one record: beside a whole lifecycle on a SQLite file, turn by turn in one run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { sqliteStore, witnessFile } from 'countersign/sqlite'
import { lifecycles } from './lifecycles.ts'
import { median, spread } from './median.ts'

const ROUNDS = 51
const EACH = 10

const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const store = await sqliteStore(join(folder, 'countersign.db'))
const { run, assertOnce } = await lifecycles(store)
const witness = witnessFile(join(folder, 'witness'))
let admissions = 0
const record = async (): Promise<void> => {
  admissions += 1
  await witness.record({ storeId: 'bench', place: null, restores: 0, admissions, erasures: 0 })
}

/** In milliseconds. */
interface Cost {
  readonly waited: number
  readonly computed: number
}

async function costOf(act: () => Promise<void>): Promise<Cost> {
  const began = performance.now()
  const before = process.cpuUsage()
  for (let left = EACH; left > 0; left -= 1) await act()
  const { user, system } = process.cpuUsage(before)
  return { waited: (performance.now() - began) / EACH, computed: (user + system) / 1_000 / EACH }
}

const rounds: { readonly lifecycle: Cost; readonly record: Cost }[] = []
for (let round = 0; round < ROUNDS; round += 1)
  rounds.push({ lifecycle: await costOf(run), record: await costOf(record) })
await assertOnce()

for (const figure of ['waited', 'computed'] as const) {
  const shares = rounds.map((round) => (100 * round.record[figure]) / round.lifecycle[figure])
  for (const name of ['lifecycle', 'record'] as const) {
    const ms = rounds.map((round) => round[name][figure])
    console.log(`${figure}: a ${name} ${median(ms).toFixed(2)} ms, ± ${spread(ms).toFixed(2)}`)
  }
  console.log(`${figure}: a record is ${median(shares).toFixed(0)} % of a lifecycle`)
}
await witness.close()
await store.close()
rmSync(folder, { recursive: true })
