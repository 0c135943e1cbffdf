// Processes that work through jobs, what each of them said, and those who come afterwards and settle what was left.
import { define } from '../../src/proposal/definition/definition.ts'
import { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import { localKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { postgresStore } from '../../src/postgres.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { CallLog, watch } from '../runtime/call-log.ts'
import { TestAction } from '../runtime/refund.ts'
import { TENANT } from '../runtime/sessions.ts'
import { type Child, startChild } from '../store/processes/child.ts'
import type { Acknowledged } from './acknowledged.ts'
import { faultsIn } from './audit.ts'
import { bookedMethods, type Books } from './books.ts'
import { Job } from './job.ts'
import { readLogs } from './written-log.ts'

/** What a process is started with. */
export interface JobberSetup {
  readonly url: string
  readonly schema: string
  readonly keys: string
  readonly books: string
  readonly log: string
  readonly jobs: readonly string[]
  /** How many of them it works on at the same time, so that they share commits. */
  readonly atOnce: number
}

/** What it says, each word before it goes on. */
export type JobberWord =
  | { readonly kind: 'ready' }
  | { readonly kind: 'acknowledged'; readonly answer: Acknowledged }
  | { readonly kind: 'heard'; readonly code: string }
  | { readonly kind: 'done'; readonly name: string }

/** Long enough for those who come afterwards, and calls that end soon. */
export const JOB_CONTRACT: Readonly<Record<string, unknown>> = { lifetime: '7d', executeTimeout: '1s', inFlight: '1s' }

/** A process at work, and everything that it has said. */
export class Jobber {
  readonly acknowledged: Acknowledged[] = []
  readonly heard: string[] = []
  done = 0
  readonly #child: Child
  /** Resolved when it has ended, in whatever way. */
  readonly ended: Promise<void>

  constructor(setup: JobberSetup, onWord: (word: JobberWord) => void = () => {}) {
    this.#child = startChild(new URL('./processes/jobber.ts', import.meta.url), [JSON.stringify(setup)])
    this.ended = this.#listen(onWord)
  }

  /** By SIGKILL; answers once it is gone. */
  async kill(): Promise<void> {
    this.#child.process.kill('SIGKILL')
    await this.#child.exited
  }

  async #listen(onWord: (word: JobberWord) => void): Promise<void> {
    for (let line = await this.#child.line(); line !== null; line = await this.#child.line()) {
      const word = JSON.parse(line) as JobberWord
      if (word.kind === 'acknowledged') this.acknowledged.push(word.answer)
      else if (word.kind === 'heard') this.heard.push(word.code)
      else if (word.kind === 'done') this.done += 1
      onWord(word)
    }
    await this.#child.exited
  }
}

/** What processes have left behind that are all gone. */
export interface Left extends Pick<JobberSetup, 'url' | 'schema' | 'keys'> {
  readonly books: Books
  readonly logs: readonly string[]
  readonly jobs: readonly string[]
  readonly acknowledged: readonly Acknowledged[]
}

const LATER_MS = 600_000

/** Settles every job once all leases are over, and answers every fault that is found then. */
export async function faultsLeft({
  url,
  schema,
  keys,
  books,
  logs,
  jobs,
  acknowledged,
}: Left): Promise<readonly string[]> {
  const clock = new VirtualClock(Date.now() + LATER_MS)
  const store = await postgresStore({ url, schema, clock })
  try {
    const keyring = localKeyring(keys)
    const action = new TestAction({ contract: JOB_CONTRACT, now: () => clock.now(), methods: bookedMethods(books.url) })
    const log = new CallLog()
    watch(action, { log, store, clock })
    const runtime = await ProposalRuntime.open({ store, keyring, clock, actions: [action] })
    const runner = new ActionRunner({ store, tenant: TENANT, clock })
    const waitUntil = (until: number): Promise<void> => {
      return clock.advance(Math.min(Math.max(0, until - clock.now()), LATER_MS))
    }
    const answered: Acknowledged[] = [...acknowledged]
    const stuck: string[] = []
    for (const name of jobs) {
      const job = new Job(name, (answer) => answered.push(answer))
      await job.settle({ runtime, runner, books: books.url, waitUntil }).catch((error: unknown) => {
        stuck.push(`${name} is stuck: ${String(error)}`)
      })
    }
    const before = readLogs(logs)
    for (const kind of ['executed', 'verified', 'resolved'] as const) (before[kind] as unknown[]).push(...log[kind])
    const booked = await books.counts()
    const remains = { store, keyring, log: before, definitions: [define(action)], booked, acknowledged: answered }
    return [...stuck, ...(await faultsIn(remains))]
  } finally {
    await store.close()
  }
}
