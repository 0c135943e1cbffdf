// The gate of restores: a store is held against its witness at every new connection, and nothing is called unwitnessed.
import { furthest, restoreFinding, type Witnessed } from '../effect/witness.ts'
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../proposal/errors.ts'
import type { ErasedRef, Witness } from '../runtime/ports.ts'
import { alone, type Engine, type Write } from './engine.ts'
import type { Operation } from './operation.ts'
import type { Reconnects } from './reconnects.ts'
import type { Counts, RestoreBook } from './restores.ts'
import type { Landing } from './writes/commit-change.ts'

/** What a gate is made of. `engine` is the one of the database itself. */
export interface RestoreGateParts {
  readonly engine: Engine
  readonly book: RestoreBook
  readonly witness: Witness
  readonly reconnects: Reconnects
}

const LEDGER_PAGE = 500
const PUT_BACK = 'An older copy of the store was put back while it was in use; it must be opened again.'

/**
 * The order is what makes it hold. An admission is committed, then witnessed, then called: what was called is known outside
 * the store, and a store behind its witness is an older copy. That the witness is behind, as after a crash in between, says
 * nothing: what it does not know of was not called. Spec: rules R15 and R19, trace S14.
 */
export class RestoreGate {
  readonly #parts: RestoreGateParts
  /** What the store knew when it was last compared; null before. */
  #known: Witnessed | null = null
  #comparedAt = -1
  #comparing: Promise<void> | null = null
  #isRefusing = false
  /** The most that the store was seen to know of. */
  #seen: Counts | null = null
  /** What is to be recorded together, by the next write of the witness. */
  #wanted: Witnessed | null = null
  #next: Promise<void> | null = null
  #writing: Promise<void> | null = null

  constructor(parts: RestoreGateParts) {
    this.#parts = parts
  }

  /**
   * Compares once for every new connection.
   * @throws StoreUnavailable if that is not possible, or once erasures were found undone beneath a store in use.
   */
  async compared(): Promise<void> {
    while (this.#comparedAt < this.#parts.reconnects.count) {
      this.#comparing ??= this.#compare().finally(() => {
        this.#comparing = null
      })
      await this.#comparing
    }
    if (this.#isRefusing) throw new StoreUnavailable(PUT_BACK)
  }

  async #compare(): Promise<void> {
    const { engine, book, witness, reconnects } = this.#parts
    const count = Math.max(reconnects.count, 0)
    // In this order: what is admitted in between is known to the store, and to its witness only later.
    const witnessed = await told(() => witness.read())
    const known = await engine.read(() => book.known())
    const finding = restoreFinding(known, witnessed)
    if (finding === null) {
      await told(() => witness.record(known))
    } else {
      await engine.write(alone(() => book.close(finding, witnessed?.admissions ?? null)))
      // At the start they are made good before anything is served; here somebody may be served already (invariant I26).
      this.#isRefusing ||= this.#known !== null && known.erasures < (witnessed?.erasures ?? 0)
    }
    this.#known = known
    this.#seen = finding === null ? further(known, this.#seen) : known
    this.#comparedAt = count
  }

  /** To be asked before an admission and handed in with what became of it. */
  get seen(): Counts | null {
    return this.#seen
  }

  /**
   * Resolves when the witness knows of an admission, if there was one. Behind a pooler a server may be replaced without any
   * new connection on this side: an admission that counts no more than what was seen before it gives that away.
   * @throws PersistenceOutcomeUnknown if the witness could not be told, or the store is behind: then nothing may be called.
   */
  async admitted({ counts, isCounted }: Landing, before: Counts | null): Promise<void> {
    if (counts === null) return
    try {
      if (before !== null && isBehind(counts, before, isCounted)) await this.#closeBeneath(before)
      this.#seen = further(counts, this.#seen)
      await this.#recorded(counts)
    } catch (cause) {
      throw new PersistenceOutcomeUnknown(null, { cause })
    }
  }

  async #closeBeneath({ admissions }: Counts): Promise<never> {
    const { engine, book } = this.#parts
    this.#isRefusing = true
    await engine.write(alone(() => book.close('behind', admissions)))
    throw new StoreUnavailable(PUT_BACK)
  }

  /** Resolves when the witness knows of erasures that were committed. @throws StoreUnavailable */
  async erased(erased: readonly ErasedRef[]): Promise<void> {
    const { engine, book, witness } = this.#parts
    await told(() => witness.recordErasures(erased))
    const known = await engine.read(() => book.known())
    await told(() => witness.record(known))
  }

  /** What the ledger says was erased, and is there again. */
  async erasuresUndone(): Promise<readonly ErasedRef[]> {
    const { engine, book, witness } = this.#parts
    const undone: ErasedRef[] = []
    for (let after = 0; ; ) {
      const from = after
      const page = await told(() => witness.erasures(from, LEDGER_PAGE))
      const refs = page.map(({ tenant, proposal }) => ({ tenant, proposal }))
      undone.push(...(await engine.read(() => book.withContent(refs))))
      after = page.at(-1)?.position ?? after
      if (page.length < LEDGER_PAGE) return undone
    }
  }

  /** What was acknowledged is what the witness knows from now on. */
  async acknowledged(): Promise<void> {
    const { engine, book, witness } = this.#parts
    const known = await engine.read(() => book.known())
    await told(() => witness.record(known))
    this.#known = known
    this.#isRefusing = false
  }

  async close(): Promise<void> {
    await this.#parts.witness.close()
  }

  // Whoever comes while a write is under way shares the next one.
  async #recorded(counts: Counts): Promise<void> {
    if (this.#known === null) throw new Error('a store is compared with its witness before it admits anything')
    const { storeId, place } = this.#known
    this.#wanted = furthest({ storeId, place, ...counts }, this.#wanted)
    this.#next ??= this.#writeNext()
    await this.#next
  }

  async #writeNext(): Promise<void> {
    await (this.#writing ?? Promise.resolve()).catch(() => {})
    const wanted = this.#wanted
    this.#wanted = null
    this.#writing = this.#next
    this.#next = null
    if (wanted !== null) await this.#parts.witness.record(wanted)
  }
}

/** The engine of a store with a gate: nothing that came over a new connection is handed out uncompared. */
export function gatedEngine(engine: Engine, gate: RestoreGate): Engine {
  return {
    async read<Result>(operation: () => Operation<Result>): Promise<Result> {
      const result = await engine.read(operation)
      await gate.compared()
      return result
    },
    async write<Result>(write: Write<Result>): Promise<Result> {
      const result = await engine.write(write)
      try {
        await gate.compared()
      } catch (cause) {
        throw new PersistenceOutcomeUnknown(null, { cause })
      }
      return result
    },
    scrub: () => engine.scrub(),
    async close() {
      await engine.close()
      await gate.close()
    },
  }
}

function isBehind(counts: Counts, before: Counts, isCounted: boolean): boolean {
  if (counts.restores !== before.restores) return counts.restores < before.restores
  return isCounted ? counts.admissions <= before.admissions : counts.admissions < before.admissions
}

function further(counts: Counts, seen: Counts | null): Counts {
  if (seen === null || counts.restores > seen.restores) return counts
  return counts.restores === seen.restores && counts.admissions > seen.admissions ? counts : seen
}

// What a witness answers and throws is somebody else's.
async function told<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof StoreUnavailable) throw cause
    throw new StoreUnavailable('The witness of the store cannot be reached.', { cause })
  }
}
