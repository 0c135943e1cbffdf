// The ledger of a crash test: what the business system did, what the host was asked and what its clients were told, in order.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import type { Effect } from '../../src/effect/effect.ts'
import type { Execute, Resolve, Resolved, Verified, Verify } from '../../src/proposal/action.ts'
import type { Status } from '../../src/proposal/status.ts'
import type { LiveProposal } from '../../src/runtime/ports.ts'
import { CallLog, type ExecutorCalled, type VerifierCalled } from '../runtime/call-log.ts'
import type { Refund } from '../runtime/refund.ts'
import type { LifeName } from './script.ts'

/** What a client was told: from here on the store may not know less. */
export interface Acknowledged {
  readonly kind: 'acknowledged'
  readonly step: string
  /** Which of the lives it is about. */
  readonly life: LifeName
  readonly proposal: string
  /** Null where the answer names none. */
  readonly revision: number | null
  readonly status: Status | 'erased'
}

/** What an operation ended in instead. */
export interface Refused {
  readonly kind: 'refused'
  readonly step: string
  /** The code of the error; its text if it has none. */
  readonly code: string
}

/** A refund that the business system carried out. It does not look whether it has done so before. */
export interface Booked {
  readonly kind: 'booked'
  readonly key: string
  readonly order: string
  readonly amount: unknown
  readonly at: number
}

/** One line of the ledger. A call is entered when it begins, and once more when it has ended. */
export type Entry =
  | Acknowledged
  | Refused
  | Booked
  /** A process has taken over; whatever an earlier one had under way is over. */
  | { readonly kind: 'started'; readonly at: number }
  | { readonly kind: 'waited'; readonly at: number }
  | {
      readonly kind: 'resolved'
      readonly input: Resolve<Refund>
      readonly beganAt: number
      readonly answer: Resolved<Refund>
    }
  | {
      readonly kind: 'executing'
      readonly input: Execute<Refund>
      readonly at: number
      readonly stored: LiveProposal | null
      readonly effect: Effect | null
    }
  | { readonly kind: 'executed'; readonly call: number; readonly ended: 'returned' | 'threw' }
  | { readonly kind: 'verifying'; readonly input: Verify<Refund>; readonly beganAt: number }
  | { readonly kind: 'verified'; readonly call: number; readonly answer: Verified<Refund> }

/**
 * Outside of whatever is killed. In a file every entry is appended with O_APPEND and synced before `append` answers; the
 * ledger of a test that kills no process needs no file.
 */
export class Ledger {
  readonly entries: Entry[]
  readonly #file: number | null

  constructor(path: string | null = null, entries: readonly Entry[] = []) {
    this.entries = [...entries]
    this.#file = path === null ? null : openSync(path, 'a')
  }

  /** Adds an entry; answers its place. */
  append(entry: Entry): number {
    if (this.#file !== null) {
      writeSync(this.#file, `${serialize(withoutMethods(entry)).toString('base64')}\n`)
      fsyncSync(this.#file)
    }
    this.entries.push(entry)
    return this.entries.length - 1
  }

  of<K extends Entry['kind']>(kind: K): readonly Extract<Entry, { kind: K }>[] {
    return this.entries.filter((entry): entry is Extract<Entry, { kind: K }> => entry.kind === kind)
  }

  /** How much happened, whatever anybody was told of it. */
  get deeds(): number {
    return this.entries.filter(({ kind }) => kind !== 'acknowledged' && kind !== 'refused').length
  }

  /** How often each key was booked. */
  bookings(): ReadonlyMap<string, number> {
    const booked = new Map<string, number>()
    for (const { key } of this.of('booked')) booked.set(key, (booked.get(key) ?? 0) + 1)
    return booked
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
  }
}

/** The calls of the ledger, as the invariants look at them. */
export function callsIn(entries: readonly Entry[]): CallLog {
  const log = new CallLog()
  const executed = new Map<number, ExecutorCalled>()
  const verified = new Map<number, VerifierCalled>()
  for (const [place, entry] of entries.entries()) {
    switch (entry.kind) {
      case 'resolved':
        log.resolved.push({ ...entry, began: place })
        break
      case 'executing':
        executed.set(place, { ...entry, ended: 'pending' })
        break
      case 'executed':
        Object.assign(executed.get(entry.call) ?? {}, { ended: entry.ended })
        break
      case 'verifying':
        verified.set(place, { ...entry, began: place, ended: null, answer: null })
        break
      case 'verified':
        Object.assign(verified.get(entry.call) ?? {}, { ended: place, answer: entry.answer })
        break
      case 'started':
        for (const call of verified.values()) call.ended ??= place
        break
      case 'acknowledged':
      case 'refused':
      case 'booked':
      case 'waited':
        break
    }
  }
  log.executed.push(...executed.values())
  log.verified.push(...verified.values())
  return log
}

/** The entries of a file's text, without what was not written to the end. */
export function entriesIn(text: string): readonly Entry[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => deserialize(Buffer.from(line, 'base64')) as Entry)
}

// What the host is handed holds functions and a signal, which are of that process alone.
function withoutMethods(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return typeof value === 'function' || value instanceof AbortSignal ? undefined : value
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutMethods(inner)]))
}
