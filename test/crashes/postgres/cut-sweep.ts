// The cut sweep: whatever a client says to PostgreSQL is cut off, torn, left without an answer or delayed, message by message.
import { localKeyring, newKeyringText } from '../../../src/runtime/keys/local-keyring.ts'
import type { Keyring, Store } from '../../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../../src/runtime/runtime.ts'
import { postgresStore } from '../../../src/store/postgres-store.ts'
import { seededIds } from '../../../src/testing/seeded-ids.ts'
import { VirtualClock } from '../../../src/testing/virtual-clock.ts'
import { type CuttingProxy, cuttingProxy, type FATES, type ProxyOptions } from '../../postgres/cutting-proxy.ts'
import { type Message, sqlOf } from '../../postgres/messages.ts'
import { Figures } from '../figures.ts'
import { Ledger } from '../ledger.ts'
import { brokenAtTheEnd, judgeLife, liveThrough } from '../one-life.ts'
import { refundDesk } from '../refund-desk.ts'
import { isTrouble, type LifeName, moodOf, TROUBLE } from '../script.ts'

/** What becomes of one message; `split` sends every byte of a life by itself, which must change nothing. */
type Interference = (typeof FATES)[number] | 'split'

/** One life and one interference with it: at its n-th message, or at the n-th of those that say COMMIT. */
export interface Cut {
  readonly life: LifeName
  readonly interference: Interference
  readonly at: 'message' | 'commit'
  readonly nth: number
}

/** How many messages a life has that nobody disturbs, and how many of them say COMMIT. */
export interface Talk {
  readonly messages: number
  readonly commits: number
}

const START: number = Date.UTC(2030, 0, 1, 12)
const HOUR_MS = 3_600_000
/** How long a silence lasts before the network gives the connection up. */
const SILENCE_MS = 100

/** Lives on one schema, each of which is interfered with once and then taken up by somebody who is not. */
export class CutSweep {
  readonly figures = new Figures()
  readonly #url: string
  readonly #schema: string
  readonly #keyring: Keyring = localKeyring(newKeyringText())
  readonly #ledger = new Ledger()
  #clock = new VirtualClock(START)
  #serial = 0

  constructor(url: string, schema: string) {
    this.#url = url
    this.#schema = schema
  }

  /** Plays a life that nobody disturbs, and counts what is said. */
  async listenTo(life: LifeName): Promise<Talk> {
    let [messages, commits] = [0, 0]
    await this.#carryOut(life, {
      decide(message) {
        messages += 1
        if (isCommit(message)) commits += 1
        return 'pass'
      },
    })
    return { messages, commits }
  }

  async carryOut({ life, interference, at, nth }: Cut): Promise<void> {
    const name = `${interference} at ${at}`
    if (interference === 'split') {
      await this.#carryOut(life, { pieces: (bytes) => [...bytes].map((byte) => Buffer.from([byte])), turns: () => 1 })
      this.figures.reach(name)
      return
    }
    let left = nth
    await this.#carryOut(life, {
      decide: (message, connection) => {
        if (at === 'message' || isCommit(message)) left -= 1
        if (left !== 0) return 'pass'
        left = -1
        this.figures.reach(name)
        if (interference === 'silent_before' || interference === 'silent_after') {
          setTimeout(() => connection.cut(), SILENCE_MS)
        }
        return interference
      },
    })
    if (left > 0) this.figures.blame(`${name} ${nth} of ${life}`, ['it was not reached'])
  }

  /** Holds everything that is stored against everything that happened. */
  async end(): Promise<Figures> {
    await this.#over(this.#url, async (store) => {
      const parts = { store, ledger: this.#ledger, keyring: this.#keyring }
      this.figures.blame('at the end', await brokenAtTheEnd(parts))
    })
    return this.figures
  }

  // Interfered with, and two hours later once more by somebody who is not.
  async #carryOut(life: LifeName, options: ProxyOptions): Promise<void> {
    const begun = this.#ledger.entries.length
    this.#serial += 1
    const order = `${life} ${this.#serial}`
    const proxy: CuttingProxy = await cuttingProxy(this.#url, options)
    try {
      await this.#live(proxy.url, order)
    } finally {
      await proxy.close()
    }
    const first = this.#ledger.entries.slice(begun)
    const odd = first.filter((entry) => entry.kind === 'refused').filter(({ code }) => !TROUBLE.has(code))
    const again = this.#ledger.entries.length
    await this.#live(this.#url, order)
    const troubled = this.#ledger.entries.slice(again).filter(isTrouble)
    await this.#over(this.#url, async (store) => {
      const { broken, ends } = await judgeLife(store, this.#ledger.entries.slice(begun), order)
      const refused = odd.map(({ step, code }) => `${step} was ${code}`)
      const after = troubled.map(({ step, code }) => `after recovery ${step} was ${code}`)
      this.figures.recovered(order, { broken: [...broken, ...refused, ...after], ends })
    })
  }

  async #live(url: string, order: string): Promise<void> {
    this.#clock = new VirtualClock(this.#clock.now() + 2 * HOUR_MS)
    const [clock, ledger] = [this.#clock, this.#ledger]
    ledger.append({ kind: 'started', at: clock.now() })
    try {
      await this.#over(url, async (store) => {
        const actions = [refundDesk({ ledger, store, clock, mood: moodOf })]
        const ids = seededIds(2 * this.#serial + (url === this.#url ? 1 : 0))
        const runtime = await ProposalRuntime.open({ store, keyring: this.#keyring, actions, clock, ids })
        await liveThrough({ runtime, clock, ledger }, order)
      })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      ledger.append({ kind: 'refused', step: 'open', code })
    }
  }

  async #over(url: string, act: (store: Store) => Promise<void>): Promise<void> {
    const clock = { now: () => this.#clock.now() }
    const store = await postgresStore({ url, schema: this.#schema, connectionsMax: 2, clock })
    try {
      await act(store)
    } finally {
      await store.close()
    }
  }
}

function isCommit(message: Message): boolean {
  return sqlOf(message) === 'commit'
}
