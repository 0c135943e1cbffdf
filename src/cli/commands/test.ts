// countersign test: runs the safety suite of a file in a process of its own, prints its report, and exits by its verdict.
import type { Command } from 'commander'
import { durationMs } from '../../proposal/definition/duration.ts'
import type { SafetyReportDocument } from '../../testing/safety/report-json.ts'
import { give } from '../answer.ts'
import { define } from '../command.ts'
import { Unavailable, UsageError } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'

interface Options {
  /** A path to write to; true without one. */
  readonly json?: string | true
  readonly seed?: string
  readonly timeout: string
}

const TIMEOUT_MAX_MS = 24 * 60 * 60_000

/** Adds the command. Spec: harness H4 and 6. */
export function addTest(program: Command): void {
  define(program, 'test', "Run a file's safety suite and say whether it is safe under the tested conditions.", [
    '--json [path]',
    'print the report as JSON, or write it to a file',
  ])
    .argument('<file>', 'a module whose runSafetySuite(), without arguments, returns a SafetyReport')
    .option('--seed <number>', 'repeat the run of this seed')
    .option('--timeout <duration>', 'how long the file may run, such as 30s or 5m', '60s')
    .action(test)
}

async function test(file: string, options: Options): Promise<void> {
  const { runSuite } = await import('../safety/run-suite.ts')
  const { revisionOf } = await import('../safety/revision.ts')
  const { safetyReportJson } = await import('../../testing/safety/report-json.ts')
  const { safetyReportText } = await import('../../testing/safety/report-text.ts')
  const run = { file, seed: seedOf(options.seed), timeoutMs: timeoutOf(options.timeout) }
  const report = await runSuite(run)
  const document = safetyReportJson(report, { revision: await revisionOf(file) })
  if (typeof options.json === 'string') await write(options.json, document)
  give(
    {
      // The exit code follows from the report, never the reverse.
      exit: report.isSafe ? EXIT.good : EXIT.failed,
      data: document,
      lines: safetyReportText(report).split('\n'),
    },
    { json: options.json === true },
  )
}

function seedOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const seed = Number(text)
  if (/^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(seed)) return seed
  throw new UsageError('--seed takes a whole number, zero or more.')
}

function timeoutOf(text: string): number {
  const limitMs = durationMs(text)
  if (limitMs !== null && limitMs <= TIMEOUT_MAX_MS) return limitMs
  throw new UsageError('--timeout takes a duration of at most a day, such as 30s or 5m.')
}

async function write(path: string, document: SafetyReportDocument): Promise<void> {
  const { writeFile } = await import('node:fs/promises')
  try {
    await writeFile(path, `${JSON.stringify(document, null, 2)}\n`)
  } catch (cause) {
    throw new Unavailable(`The report could not be written to ${path}.`, { cause })
  }
}
