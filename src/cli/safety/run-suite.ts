// Runs the safety suite of a file in a process of its own, which is killed when its time is over.
import { type ChildProcess, fork } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseSafetyReport } from '../../testing/safety/report-json.ts'
import type { SafetyReport } from '../../testing/safety/safety-report.ts'
import { SEED_VARIABLE } from '../../testing/safety/suite-seed.ts'
import { Unavailable } from '../errors.ts'
import { type SuiteMessage, suiteMessageSchema } from './suite-message.ts'

/** How a file is run. */
export interface SuiteRun {
  readonly file: string
  readonly timeoutMs: number
  /** Handed to the file by its environment; its own choice if null. */
  readonly seed: number | null
}

/**
 * The report of a file. What the file prints goes to standard error. Spec: harness H4.
 *
 * @throws Unavailable with one sentence if there is no report.
 */
export async function runSuite({ file, timeoutMs, seed }: SuiteRun): Promise<SafetyReport> {
  const path = resolve(file)
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile()) throw new Unavailable(`There is no file ${file}.`)
  const child = fork(siblingFile('suite-main'), [path], {
    env: { ...process.env, ...(seed === null ? {} : { [SEED_VARIABLE]: String(seed) }) },
    // Node 22 warns about type stripping on standard error.
    execArgv: [...process.execArgv, '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  try {
    const message = await messageOf(child, file, timeoutMs)
    if (message.kind === 'broken') throw new Unavailable(`${file} breaks the contract of a suite: ${message.problem}.`)
    return reportOf(message.document, file)
  } finally {
    // It has said what there is to say; what it left running must not keep it.
    child.kill('SIGKILL')
  }
}

/** Whatever sent it: a document that is no report is not one, and its classification follows from its checks. */
function reportOf(document: unknown, file: string): SafetyReport {
  try {
    return parseSafetyReport(document)
  } catch (cause) {
    throw new Unavailable(`${file} sent the command a document that is no safety report.`, { cause })
  }
}

async function messageOf(child: ChildProcess, file: string, timeoutMs: number): Promise<SuiteMessage> {
  const { promise, resolve: heard, reject } = Promise.withResolvers<SuiteMessage>()
  const limit = setTimeout(() => {
    reject(new Unavailable(`${file} did not end within ${timeoutMs} ms and was stopped; --timeout gives it longer.`))
  }, timeoutMs)
  child.once('error', () => reject(new Unavailable(`${file} could not be started in a process of its own.`)))
  child.once('message', (message) => {
    const parsed = suiteMessageSchema.safeParse(message)
    if (parsed.success) heard(parsed.data)
    else reject(new Unavailable(`${file} sent a message of its own to the command, which only takes its report.`))
  })
  child.once('exit', (code, signal) => {
    const how = signal ?? `exit code ${code}`
    reject(new Unavailable(`The process of ${file} ended (${how}) before runSafetySuite returned.`))
  })
  try {
    return await promise
  } finally {
    clearTimeout(limit)
  }
}

/** The entry beside this file: TypeScript beside the sources, JavaScript beside the build. */
function siblingFile(name: string): string {
  return fileURLToPath(new URL(`${name}${extname(import.meta.url)}`, import.meta.url))
}
