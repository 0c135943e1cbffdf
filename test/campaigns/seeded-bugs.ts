// Are the model and the simulation able to see a bug at all? Each of a list of bugs is put into a copy of the sources, and one of them runs on it.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { seededBugs, type SeededBug, withBug } from './seeded-bug.ts'

/** From these seeds the model catches every bug of the list but those that are for the simulation. */
const MODEL_RUNS = [
  ['--memory', '3000', '--seed', '11'],
  ['--twins', '150', '--seed', '12'],
]
/** A bug may make the sources wait for ever. */
const HANGS_AFTER_MS = 30 * 60_000

const { values } = parseArgs({
  options: {
    /** Only the bugs whose name contains this. */
    only: { type: 'string', default: '' },
    /** So many seeds of the simulation on every bug that is for it, instead of the model on the others. */
    simulation: { type: 'string' },
    /** The simulation on those of the model as well. */
    every: { type: 'boolean', default: false },
    from: { type: 'string', default: '1' },
  },
})
const root = fileURLToPath(new URL('../..', import.meta.url))

let missed = 0
for (const bug of seededBugs()) {
  if (!bug.bug.includes(values.only)) continue
  const isForSimulation = bug.for === 'simulation'
  if (isForSimulation !== (values.simulation !== undefined) && !values.every) continue
  const caught = withSources(bug, values.simulation === undefined ? caughtByModel : caughtBySimulation)
  if (caught === null) missed += 1
  process.stdout.write(`${caught ?? 'MISSED'}  ${bug.bug}\n`)
}
process.exitCode = missed === 0 ? 0 : 1

/** The invariant that the bug breaks first; null where none noticed it. */
function caughtByModel(folder: string): string | null {
  for (const run of MODEL_RUNS) {
    const { status, stderr } = carryOut(folder, 'model', run)
    if (status !== 0) return invariantIn(stderr)
  }
  return null
}

/** In how many seeds, and the invariant that broke first; null where none noticed it. */
function caughtBySimulation(folder: string): string | null {
  const seeds = values.simulation ?? ''
  const { status, stdout } = carryOut(folder, 'simulation', ['--from', values.from, '--seeds', seeds, '--go-on'])
  if (status === 0) return null
  const failed = / (\d+) failed/u.exec(stdout)?.[1] ?? 'all'
  return `${invariantIn(stdout)} first, in ${failed} of ${seeds} seeds:`
}

function carryOut(folder: string, campaign: string, args: readonly string[]) {
  const program = ['--conditions=countersign-source', `test/campaigns/${campaign}.ts`, ...args]
  return spawnSync(process.execPath, program, { cwd: folder, encoding: 'utf8', timeout: HANGS_AFTER_MS })
}

function invariantIn(output: string): string {
  return /invariant ([IR]\d+)/u.exec(output)?.[1] ?? 'an assertion'
}

function withSources(bug: SeededBug, run: (folder: string) => string | null): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bug-'))
  try {
    for (const part of ['src', 'test', 'package.json', 'tsconfig.json']) {
      cpSync(join(root, part), join(folder, part), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const { file, text } of withBug(bug, (path) => readFileSync(join(root, path), 'utf8'))) {
      writeFileSync(join(folder, file), text)
    }
    return run(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
