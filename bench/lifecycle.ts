// What one lifecycle costs on a SQLite file, beside a loop written by hand against the same engine in the same run.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from 'countersign/sqlite'
import type { Store } from 'countersign'
import { handWrittenLoop } from './hand-written-loop.ts'
import { lifecycles } from './lifecycles.ts'
import { median, spread } from './median.ts'

const SLICES = 7
const SLICE_MS = 1_500

interface Contender {
  readonly name: string
  /** Runs one unit of work from start to end. */
  readonly run: () => Promise<void>
}

const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
try {
  const counted = countCommits(await sqliteStore(join(folder, 'countersign.db')))
  const lifecycle = await lifecycles(counted.store)
  const loop = handWrittenLoop(join(folder, 'loop.db'))
  for (const inFlight of [1, 16]) {
    const before = { commits: counted.commits(), lifecycles: lifecycle.done() }
    const [ours, theirs] = await race(
      { name: 'countersign', run: lifecycle.run },
      { name: 'loop', run: loop.run },
      inFlight,
    )
    const commits = (counted.commits() - before.commits) / (lifecycle.done() - before.lifecycles)
    console.log(`${inFlight} in flight`)
    console.log(`  countersign  ${shown(ours)} lifecycles/s, ${commits.toFixed(2)} commits each`)
    console.log(`  loop         ${shown(theirs)} lifecycles/s, 5.00 commits each`)
    console.log(`  ratio        ${(median(ours) / median(theirs)).toFixed(2)}`)
  }
  await lifecycle.assertOnce()
  loop.close()
  await counted.store.close()
} finally {
  await rm(folder, { recursive: true })
}

/** Rates of both, in slices that alternate, so that a noisy neighbour meets both alike. */
async function race(a: Contender, b: Contender, inFlight: number): Promise<[number[], number[]]> {
  const rates: [number[], number[]] = [[], []]
  await slice(a, inFlight)
  await slice(b, inFlight)
  for (let round = 0; round < SLICES; round++) {
    rates[0].push(await slice(a, inFlight))
    rates[1].push(await slice(b, inFlight))
  }
  return rates
}

async function slice({ run }: Contender, inFlight: number): Promise<number> {
  const began = performance.now()
  let done = 0
  const lane = async (): Promise<void> => {
    while (performance.now() - began < SLICE_MS) {
      await run()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return done / ((performance.now() - began) / 1_000)
}

/** Counts the commits of a store from now on. */
function countCommits(store: Store): { readonly store: Store; readonly commits: () => number } {
  const commit = store.commit.bind(store)
  let commits = 0
  store.commit = async (change) => {
    commits += 1
    return commit(change)
  }
  return { store, commits: () => commits }
}

function shown(rates: readonly number[]): string {
  return `${median(rates).toFixed(0).padStart(6)} ± ${spread(rates).toFixed(0)}`
}
