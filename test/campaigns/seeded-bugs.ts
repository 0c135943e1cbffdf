// Is the model able to see a bug at all? Each of a list of bugs is put into a copy of the sources, and the model runs on it.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import process from 'node:process'
import { seededBugs, type SeededBug, withBug } from './seeded-bug.ts'

/** From these seeds every bug of the list was caught. */
const RUNS = [
  ['--memory', '3000', '--seed', '11'],
  ['--twins', '150', '--seed', '12'],
]
const root = fileURLToPath(new URL('../..', import.meta.url))
const only = process.argv[2]

let missed = 0
for (const bug of seededBugs()) {
  if (only !== undefined && !bug.bug.includes(only)) continue
  const caughtBy = catching(bug)
  if (caughtBy === null) missed += 1
  process.stdout.write(`${caughtBy ?? 'MISSED'}  ${bug.bug}\n`)
}
process.exitCode = missed === 0 ? 0 : 1

/** The invariant that the bug breaks first; null where none noticed it. */
function catching(bug: SeededBug): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bug-'))
  try {
    for (const part of ['src', 'test', 'package.json', 'tsconfig.json']) {
      cpSync(join(root, part), join(folder, part), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const { file, text } of withBug(bug, (path) => readFileSync(join(root, path), 'utf8'))) {
      writeFileSync(join(folder, file), text)
    }
    for (const run of RUNS) {
      const program = ['--conditions=countersign-source', 'test/campaigns/model.ts', ...run]
      const { status, stderr } = spawnSync(process.execPath, program, { cwd: folder, encoding: 'utf8' })
      if (status !== 0) return /invariant (I\d+)/u.exec(stderr)?.[1] ?? null
    }
    return null
  } finally {
    rmSync(folder, { recursive: true })
  }
}
