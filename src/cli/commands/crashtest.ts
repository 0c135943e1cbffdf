// countersign crashtest: kills a file's worker at every step, and says which effect ran twice and which was lost.
import process from 'node:process'
import type { Command } from 'commander'
import { give } from '../answer.ts'
import { type CommonOptions, define } from '../command.ts'
import { UsageError } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'

interface Options extends CommonOptions {
  readonly timeout: string
}

const TIMEOUT_MAX_MS = 60 * 60_000
const LEFT_RUNNING_MS = 1_000

/** Adds the command. Spec: harness 6. */
export function addCrashtest(program: Command): void {
  define(program, 'crashtest', "Kill a file's worker at every step, and say which effect ran twice and which was lost.")
    .argument('<file>', 'a module that exports crashScenario, with open() and work()')
    .option('--timeout <duration>', 'how long one run of the worker may take, such as 30s or 5m', '60s')
    .action(crashtest)
}

async function crashtest(file: string, options: Options): Promise<void> {
  const { durationMs } = await import('../../proposal/definition/duration.ts')
  const timeoutMs = durationMs(options.timeout)
  if (timeoutMs === null || timeoutMs > TIMEOUT_MAX_MS) {
    throw new UsageError('--timeout takes a duration of at most an hour, such as 30s or 5m.')
  }
  const { runCrashtest } = await import('../crashtest/run-crashtest.ts')
  const { crashReportLines } = await import('../../testing/crash/crash-report.ts')
  const report = await runCrashtest({ file, timeoutMs }).finally(endEvenSo)
  const exit = report.survived ? EXIT.good : EXIT.failed
  give({ exit, data: report, lines: crashReportLines(file, report) }, options)
}

/** What the file left running in this process must not keep it once the report is out. */
function endEvenSo(): void {
  setTimeout(() => process.exit(), LEFT_RUNNING_MS).unref()
}
