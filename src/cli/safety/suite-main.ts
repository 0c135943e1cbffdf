// The process of a safety suite: loads one file, runs what it exports, sends what came of it, and is ended by its parent.
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { safetyReportJson } from '../../testing/safety/report-json.ts'
import { SafetyReport } from '../../testing/safety/safety-report.ts'
import type { SuiteMessage } from './suite-message.ts'

/** As much of a stranger's error as fits into a sentence. */
const errorCharacters = 300

// The way to the command is for the report alone: a file that is forked elsewhere too speaks to nobody here.
const sendToCommand = process.send?.bind(process)
Reflect.deleteProperty(process, 'send')

// A suite that waits for nothing would end this process in silence; it is told apart from one that takes its time.
process.once('beforeExit', () => send(broken('runSafetySuite waits for something that cannot come any more')))
// oxlint-disable-next-line prefer-top-level-await -- Node would warn of what the line above says better
messageOf(process.argv[2] ?? '').then(send, () => process.exit(1))

async function messageOf(file: string): Promise<SuiteMessage> {
  let exported: unknown
  try {
    exported = await import(pathToFileURL(file).href)
  } catch (error) {
    return broken(`it could not be loaded: ${sentenceOf(error)}`)
  }
  const suite = suiteOf(exported)
  if (suite === null) return broken('it exports no function runSafetySuite')
  if (suite.length > 0) return broken(`runSafetySuite takes no arguments, and this one takes ${suite.length}`)
  let report: unknown
  try {
    report = await suite()
  } catch (error) {
    return broken(`runSafetySuite threw: ${sentenceOf(error)}`)
  }
  // A look-alike says about itself what it likes, and nobody checked it.
  if (!SafetyReport.isSafetyReport(report)) {
    return broken('runSafetySuite returned something else than a SafetyReport of countersign/testing')
  }
  return { kind: 'report', document: safetyReportJson(report) }
}

function suiteOf(exported: unknown): (() => unknown) | null {
  if (typeof exported !== 'object' || exported === null || !('runSafetySuite' in exported)) return null
  const { runSafetySuite } = exported
  return typeof runSafetySuite === 'function' ? (runSafetySuite as () => unknown) : null
}

function broken(problem: string): SuiteMessage {
  return { kind: 'broken', problem }
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `a ${typeof error}`
  const [line = ''] = text.split('\n')
  return line.slice(0, errorCharacters)
}

function send(message: SuiteMessage): void {
  sendToCommand?.(message)
}
