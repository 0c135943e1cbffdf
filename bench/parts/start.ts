// Start: what an import and a call of the command cost before anything is done, from the built package.
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { inFolder } from '../folder.ts'
import { NoiseGate } from '../noise.ts'
import type { Options } from '../options.ts'
import type { Found, Judged, Part } from '../report.ts'
import { median, spread } from '../statistics.ts'

const IMPORT_MAX_MS = 40
const HELP_MAX_MS = 150

const COMMANDS = {
  'node alone': ['-e', '0'],
  'import zod': ['--input-type=module', '-e', `import 'zod'`],
  'import countersign': ['--input-type=module', '-e', `import 'countersign'`],
  'countersign --help': ['dist/cli/main.js', '--help'],
  'countersign proposals approve --help': ['dist/cli/main.js', 'proposals', 'approve', '--help'],
} as const
type Command = keyof typeof COMMANDS

export const start: Part = { name: 'start', run: async (options) => inFolder(async (folder) => run(options, folder)) }

async function run({ rounds }: Options, folder: string): Promise<Found> {
  const gate = new NoiseGate(folder)
  const names = Object.keys(COMMANDS) as Command[]
  const took = new Map<Command, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    await gate.look()
    for (const [name, times] of took) times.push(msOf(COMMANDS[name]))
  }
  const ms = (name: Command): readonly number[] => took.get(name) ?? []
  const above = ms('import countersign').map((one, round) => one - (ms('import zod')[round] ?? Number.NaN))
  return {
    figures: [],
    judged: [
      judged('ms of import countersign above import zod', above, IMPORT_MAX_MS),
      judged('ms of countersign --help', ms('countersign --help'), HELP_MAX_MS),
    ],
    times: names.map((name) => ({ name, unit: 'ms', value: median(ms(name)), spread: spread(ms(name)) })),
    values: {},
    noise: gate.result(),
  }
}

function judged(measure: string, times: readonly number[], max: number): Judged {
  return { measure, value: median(times), spread: spread(times), bar: { kind: 'at most', value: max }, isCount: false }
}

function msOf(args: readonly string[]): number {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, args, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: 'ignore',
    // Of this process, which runs from the sources.
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with ${status}; is the package built?`)
  return performance.now() - began
}
