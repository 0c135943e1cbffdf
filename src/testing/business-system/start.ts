// Starts the business system as a process of its own, and holds on to it.
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { BusinessChange } from './changes.ts'
import type { FaultName } from '../faults.ts'
import { exchange } from './exchange.ts'
import type { ApprovalState, PeriodState } from './payables-wire.ts'
import { startReportSchema } from './start-report.ts'
import { type EffectCount, effectCountsSchema, type SeenRequest, seenRequestsSchema } from './wire.ts'

/** How to start a business system. */
export interface BusinessSystemOptions {
  /** Its SQLite file; made, with its orders and invoices, if there is none. */
  readonly file: string
  /** Where its time stands still from the start, an instant; real time if not given. */
  readonly now?: number
  /** The port on 127.0.0.1; a free one if not given. */
  readonly port?: number
}

/**
 * A running business system: orders and invoices, refunds and payments behind HTTP on loopback, in a process of its own that ends with this one.
 * It does not keep this process alive. Spec: http "countersign serve", lifecycle 11.
 */
export interface BusinessSystem {
  readonly url: string
  readonly file: string
  readonly processId: number
  /** Lets the fault meet the next `count` requests of its kind. */
  faults(name: FaultName, count: number): Promise<void>
  /** What stands in the books. */
  effects(): Promise<readonly EffectCount[]>
  /** Every request seen, in the order of arrival; the calls of this object are not among them. */
  requests(): Promise<readonly SeenRequest[]>
  /** Sets what is refunded of an order (`25.00`) and raises its version: by another process that writes to the same file. */
  changeOrder(orderReference: string, refunded: string): Promise<void>
  /** Likewise: approves an invoice or puts it on hold. */
  changeApproval(invoiceReference: string, approvalState: Exclude<ApprovalState, 'paid'>): Promise<void>
  /** Likewise: sets the bank account of a supplier. */
  changeBankAccount(supplierReference: string, iban: string): Promise<void>
  /** Likewise: closes or opens a ledger period. */
  changePeriod(ledgerPeriod: string, periodState: PeriodState): Promise<void>
  /** Sets its time, an instant at which it then stands still. */
  setTime(now: number): Promise<void>
  /** Ends it in order; requests without an answer lose their connection. */
  stop(): Promise<void>
  /** Ends it by SIGKILL, wherever it is. */
  kill(): Promise<void>
}

// Node 22 warns about type stripping on standard error, where a failure of the second writer is read.
const nodeOptions = ['--disable-warning=ExperimentalWarning']

/**
 * Starts a business system and answers once it takes requests.
 *
 * @throws Error with one sentence that says why it did not start.
 */
export async function startBusinessSystem(options: BusinessSystemOptions): Promise<BusinessSystem> {
  const { file, now, port } = options
  const parameters = [`--file=${file}`]
  if (now !== undefined) parameters.push(`--now=${now}`)
  if (port !== undefined) parameters.push(`--port=${port}`)
  const child = fork(siblingFile('main'), parameters, {
    execArgv: nodeOptions,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const url = await readyUrl(child)
  child.unref()
  child.channel?.unref()
  return new BusinessSystemProcess(child, url, file)
}

class BusinessSystemProcess implements BusinessSystem {
  readonly url: string
  readonly file: string
  readonly processId: number
  readonly #child: ChildProcess

  constructor(child: ChildProcess, url: string, file: string) {
    this.#child = child
    this.url = url
    this.file = file
    this.processId = child.pid ?? 0
  }

  async faults(name: FaultName, count: number): Promise<void> {
    await this.#post('/_faults', { fault: name, count })
  }

  async effects(): Promise<readonly EffectCount[]> {
    return exchange(new URL('/_effects', this.url), effectCountsSchema)
  }

  async requests(): Promise<readonly SeenRequest[]> {
    return exchange(new URL('/_requests', this.url), seenRequestsSchema)
  }

  async changeOrder(orderReference: string, refunded: string): Promise<void> {
    await this.#change({ orderReference, refunded })
  }

  async changeApproval(invoiceReference: string, approvalState: Exclude<ApprovalState, 'paid'>): Promise<void> {
    await this.#change({ invoiceReference, approvalState })
  }

  async changeBankAccount(supplierReference: string, iban: string): Promise<void> {
    await this.#change({ supplierReference, iban })
  }

  async changePeriod(ledgerPeriod: string, periodState: PeriodState): Promise<void> {
    await this.#change({ ledgerPeriod, periodState })
  }

  async setTime(now: number): Promise<void> {
    await this.#post('/_clock', { now })
  }

  async stop(): Promise<void> {
    await this.#end(() => {
      if (this.#child.connected) this.#child.disconnect()
    })
  }

  async kill(): Promise<void> {
    await this.#end(() => this.#child.kill('SIGKILL'))
  }

  async #end(ending: () => void): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.ref()
    const ended = once(this.#child, 'exit')
    ending()
    await ended
  }

  async #change(change: BusinessChange): Promise<void> {
    const parameters = [siblingFile('second-writer'), this.file, JSON.stringify(change)]
    try {
      await promisify(execFile)(process.execPath, [...nodeOptions, ...parameters])
    } catch (cause) {
      const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
      throw new Error(said, { cause })
    }
  }

  async #post(path: string, body: unknown): Promise<void> {
    await exchange(new URL(path, this.url), z.unknown(), { method: 'POST', body })
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      reject(new Error(`the example business system ended before it was ready (${signal ?? code})`))
    })
    child.once('message', (message) => {
      const report = startReportSchema.parse(message)
      if (report.kind === 'ready') resolve(report.url)
      else reject(new Error(report.reason))
    })
  })
}

/** The entry beside this file: TypeScript beside the sources, JavaScript beside the build. */
function siblingFile(name: string): string {
  return fileURLToPath(new URL(`${name}${extname(import.meta.url)}`, import.meta.url))
}
