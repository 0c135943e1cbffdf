// A log of host calls that outlives its process: every entry is in a file before the host goes on.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { deserialize, serialize } from 'node:v8'
import { type Called, CallLog } from '../runtime/call-log.ts'

interface Line {
  readonly id: number
  readonly called: Called
}

/** Its order is that of the machine's monotonic clock, which all processes share. */
export class WrittenLog extends CallLog {
  readonly #file: string
  readonly #ids = new Map<Called['call'], number>()

  constructor(file: string) {
    super()
    this.#file = file
  }

  override next(): number {
    return Number(process.hrtime.bigint())
  }

  override heard({ kind, call }: Called): void {
    const id = this.#ids.get(call) ?? this.#ids.size
    this.#ids.set(call, id)
    const line = { id, called: { kind, call: { ...call, input: plain(call.input) } } }
    appendFileSync(this.#file, `${serialize(line).toString('base64')}\n`)
  }
}

/** What several processes have written, as one log. */
export function readLogs(files: readonly string[]): CallLog {
  const log = new CallLog()
  for (const file of files) {
    const latest = new Map<string, Called>()
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    for (const text of lines.filter((line) => line !== '')) {
      const { id, called } = deserialize(Buffer.from(text, 'base64')) as Line
      latest.set(`${called.kind} ${id}`, called)
    }
    for (const { kind, call } of latest.values()) {
      if (kind === 'executed') log.executed.push(call)
      else if (kind === 'verified') log.verified.push(call)
      else log.resolved.push(call)
    }
  }
  return log
}

// Signals and functions stay where they are.
function plain<Input extends object>(input: Input): Input {
  const kept = Object.entries(input).filter(([name, value]) => name !== 'signal' && typeof value !== 'function')
  return Object.fromEntries(kept) as Input
}
