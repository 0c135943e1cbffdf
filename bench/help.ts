// What "countersign --help" costs beside a Node that does nothing, from the built package: run after `npm run build`.
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { median, spread } from './median.ts'

const RUNS = 31

const contenders = {
  'node -e 0': ['-e', '0'],
  'countersign --help': ['dist/cli/main.js', '--help'],
  'countersign proposals approve --help': ['dist/cli/main.js', 'proposals', 'approve', '--help'],
} as const

function millisecondsOf(args: readonly string[]): number {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with ${status}; is the package built?`)
  return performance.now() - began
}

// Turn by turn, so that a busy moment of the machine meets all of them.
const figures = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]))
for (let run = 0; run < RUNS; run++) {
  for (const [name, args] of Object.entries(contenders)) figures.get(name)?.push(millisecondsOf(args))
}
for (const [name, ms] of figures) {
  console.log(`${name.padEnd(38)}${median(ms).toFixed(0)} ms, ± ${spread(ms).toFixed(0)}`)
}
