// Runs a crash test: the worker once to its end, then once for each of its steps with a kill there and a new start.
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import {
  type CrashReport,
  crashReport,
  type CrashResult,
  judgeEffects,
  judgeUnharmed,
} from '../../testing/crash/crash-report.ts'
import type { CrashScenario, CrashTarget } from '../../testing/crash/crash-scenario.ts'
import type { CrashStep } from '../../testing/crash/crash-steps.ts'
import { Unavailable } from '../errors.ts'
import { type CrashMessage, crashMessageSchema, type CrashTask } from './crash-message.ts'
import { loadScenario, sentenceOf } from './load-scenario.ts'

/** How a file is tested. */
export interface CrashRun {
  readonly file: string
  /** How long one process of the worker may take. */
  readonly timeoutMs: number
}

/** How a process of the worker ended. */
type Ended = CrashMessage | { readonly kind: 'killed' } | { readonly kind: 'gone'; readonly how: string }

/**
 * The report of a file. Spec: harness 6, evidence 6.4.
 *
 * @throws Unavailable with one sentence if the file cannot be tested: it cannot be loaded, or its worker does not come to
 * its end even when nobody kills it.
 */
export async function runCrashtest({ file, timeoutMs }: CrashRun): Promise<CrashReport> {
  const path = resolve(file)
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile()) throw new Unavailable(`There is no file ${file}.`)
  const loaded = await within({ file, timeoutMs }, 'loading it', async () => loadScenario(path))
  if (loaded.kind === 'broken') throw unavailable(file, loaded.problem)
  const test = new Crashtest(loaded.scenario, file, path, timeoutMs)
  const whole = await test.unharmed()
  const results: CrashResult[] = [whole.result]
  for (const step of whole.steps) results.push(await test.killedAt(step))
  return crashReport(results)
}

class Crashtest {
  readonly #scenario: CrashScenario
  readonly #file: string
  readonly #path: string
  readonly #timeoutMs: number

  constructor(scenario: CrashScenario, file: string, path: string, timeoutMs: number) {
    this.#scenario = scenario
    this.#file = file
    this.#path = path
    this.#timeoutMs = timeoutMs
  }

  /** The run that nobody kills: it tells the steps. */
  async unharmed(): Promise<{ readonly result: CrashResult; readonly steps: readonly CrashStep[] }> {
    return this.#withTarget(async (target) => {
      const ended = await this.#run(target, 0, null)
      if (ended.kind === 'broken') throw this.#unavailable(ended.problem)
      if (ended.kind !== 'ended') throw this.#unavailable('its worker did not come to its end')
      if (ended.steps.length === 0) throw this.#unavailable('its worker has no steps; wrap its store or its calls')
      const judged = judgeUnharmed(target.intended, await this.#counts(target), ended.told)
      const state = judged.troubles.length === 0 ? 'survived' : 'harmed'
      return { result: { step: null, state, ...judged }, steps: ended.steps }
    })
  }

  /** A fresh target, a worker that is killed at the step, and a new one that goes on. */
  async killedAt(step: CrashStep): Promise<CrashResult> {
    const name = step.occurrence === 1 ? step.name : `${step.name} (${step.occurrence})`
    return this.#withTarget(async (target): Promise<CrashResult> => {
      const first = await this.#run(target, 0, step)
      if (first.kind !== 'killed') return { step: name, state: 'not_reached', troubles: [], open: [] }
      const second = await this.#run(target, 1, null)
      const told = second.kind === 'ended' ? second.told : {}
      const judged = judgeEffects(target.intended, await this.#counts(target), told)
      // Whatever the worker has not said, an effect that stands twice is told.
      if (second.kind !== 'ended' && judged.troubles.every(({ trouble }) => trouble !== 'twice')) {
        return { step: name, state: 'not_back', ...judged }
      }
      return { step: name, state: judged.troubles.length === 0 ? 'survived' : 'harmed', ...judged }
    })
  }

  async #withTarget<T>(act: (target: CrashTarget) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-crashtest-'))
    try {
      const target = await this.#opened(folder)
      try {
        return await act(target)
      } finally {
        await this.#within('close', async () => target.close())
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async #opened(folder: string): Promise<CrashTarget> {
    const target = await this.#within('open', async () => this.#scenario.open(folder))
    const problem = problemOf(target)
    if (problem !== null) throw this.#unavailable(problem)
    return target
  }

  async #counts(target: CrashTarget): Promise<Readonly<Record<string, number>>> {
    const counted = countsSchema.safeParse(await this.#within('effects', async () => target.effects()))
    if (counted.success) return counted.data
    throw this.#unavailable('effects answers something else than a whole number for each effect')
  }

  async #within<T>(what: string, act: () => Promise<T>): Promise<T> {
    return within({ file: this.#file, timeoutMs: this.#timeoutMs }, what, act)
  }

  async #run({ setup }: CrashTarget, run: number, killAt: CrashStep | null): Promise<Ended> {
    const child = fork(siblingFile('worker-main'), [], {
      execArgv: [...process.execArgv, '--disable-warning=ExperimentalWarning'],
      // What the file prints is not the report.
      stdio: ['ignore', 2, 2, 'ipc'],
    })
    try {
      const ended = endOf(child, this.#timeoutMs)
      const task: CrashTask = { file: this.#path, setup, run, killAt }
      child.send(task)
      return await ended
    } finally {
      child.kill('SIGKILL')
    }
  }

  #unavailable(problem: string, cause?: unknown): Unavailable {
    return unavailable(this.#file, problem, cause)
  }
}

const countsSchema = z.record(z.string(), z.int().min(0))

/** What is wrong with a target; null if it can be counted at. A test of nothing would survive everything. */
function problemOf(target: unknown): string | null {
  if (typeof target !== 'object' || target === null) return 'open answers no target'
  for (const name of ['effects', 'close']) {
    if (typeof Reflect.get(target, name) !== 'function') return `the target has no function ${name}`
  }
  const intended: unknown = Reflect.get(target, 'intended')
  const isNamed = Array.isArray(intended) && intended.length > 0 && intended.every((name) => typeof name === 'string')
  return isNamed && new Set(intended).size === intended.length
    ? null
    : 'intended names no effect, or one twice, so that nothing could be shown'
}

/** What the file does in this process has a limit too. */
async function within<T>({ file, timeoutMs }: CrashRun, what: string, act: () => Promise<T>): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(unavailable(file, `${what} did not end within ${timeoutMs} ms; --timeout gives it longer`))
  }, timeoutMs)
  try {
    return await Promise.race([act(), limit])
  } catch (error) {
    throw error instanceof Unavailable ? error : unavailable(file, `${what} threw: ${sentenceOf(error)}`, error)
  } finally {
    clearTimeout(timer)
  }
}

function unavailable(file: string, problem: string, cause?: unknown): Unavailable {
  return new Unavailable(`${file} breaks the contract of a crash test: ${problem}.`, { cause })
}

async function endOf(child: ChildProcess, timeoutMs: number): Promise<Ended> {
  const { promise, resolve: ended } = Promise.withResolvers<Ended>()
  const limit = setTimeout(() => ended({ kind: 'gone', how: `more than ${timeoutMs} ms` }), timeoutMs)
  child.once('error', () => ended({ kind: 'gone', how: 'not started' }))
  child.once('message', (message) => {
    const parsed = crashMessageSchema.safeParse(message)
    if (parsed.success) ended(parsed.data)
  })
  child.once('exit', (code, signal) => {
    ended(signal === 'SIGKILL' ? { kind: 'killed' } : { kind: 'gone', how: `${signal ?? code}` })
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
