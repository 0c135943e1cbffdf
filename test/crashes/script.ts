// The script of the crash tests: the lives of several proposals up to erasure, each step of which may be taken again.
import { isInDoubt, type Status } from '../../src/proposal/status.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import type { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { finance1, operator, privacy, requester, service } from '../runtime/sessions.ts'
import type { Entry, Ledger, Refused } from './ledger.ts'
import type { Mood } from './refund-desk.ts'

/** What the script is played on. */
export interface Stage {
  readonly runtime: ProposalRuntime
  readonly clock: VirtualClock
  /** Where it is written down what each step was told. */
  readonly ledger: Ledger
}

/** How the refund of a life goes, and how the life ends. */
export interface Life {
  readonly mood: Mood
  readonly end: Status | 'erased'
}

/** The lives, by the order that each is about. */
export const LIVES = {
  paid: { mood: 'accepts', end: 'erased' },
  doubted: { mood: 'books_and_throws', end: 'verified' },
  vanished: { mood: 'throws', end: 'verified' },
  unsent: { mood: 'sends_nothing', end: 'verified' },
  rejected: { mood: 'accepts', end: 'rejected' },
  withdrawn: { mood: 'accepts', end: 'withdrawn' },
  hidden: { mood: 'accepts', end: 'erased' },
  lapsed: { mood: 'accepts', end: 'expired' },
} as const satisfies Record<string, Life>

export type LifeName = keyof typeof LIVES

/** How the refund of an order goes. */
export function moodOf(order: string): Mood {
  const life = Object.entries(LIVES).find(([name]) => name === order.split(' ')[0])
  return life?.[1].mood ?? 'accepts'
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const ROUNDS_MAX = 8

/** What a step is told. */
interface Told {
  readonly proposal: string
  readonly revision: number
  readonly status: Status
  readonly commitment: string
}

/** Takes every step, one after the other. What is refused is written down, and the next step is taken. */
export async function play(stage: Stage): Promise<void> {
  const begun = stage.ledger.entries.length
  const lives = (Object.keys(LIVES) as LifeName[]).map((name) => new Living(stage, name))
  for (const life of lives) await life.untilItsEnd()
  await lives[0]?.erase()
  // As a worker would: an erasure that was interrupted hides its proposal from everybody else.
  await new Living(stage, 'hidden').eraseDue()
  // Whoever could not be served comes back before the day is over.
  if (stage.ledger.entries.slice(begun).some(isTrouble)) return
  await stage.clock.advance(DAY_MS)
  stage.ledger.append({ kind: 'waited', at: stage.clock.now() })
  for (const life of lives) await life.afterADay()
}

/** Whether the store failed. */
export function isTrouble(entry: Entry): entry is Refused {
  return entry.kind === 'refused' && TROUBLE.has(entry.code)
}

/** What is told where the store failed. */
export const TROUBLE: ReadonlySet<string> = new Set([
  'store_unavailable',
  'persistence_outcome_unknown',
  'stored_data_corrupt',
])

/** One life on a stage. Played again, by another process too, it goes on where it was. */
export class Living {
  readonly #stage: Stage
  readonly #name: LifeName
  readonly #order: string
  #made: Told | null = null

  /** Orders of one life differ by what follows its name, after a space. */
  constructor(stage: Stage, name: LifeName, order: string = name) {
    this.#stage = stage
    this.#name = name
    this.#order = order
  }

  async untilItsEnd(): Promise<void> {
    const { runtime } = this.#stage
    const made = await this.#prepare()
    this.#made = made
    if (made === null) return
    const { proposal } = made
    switch (this.#name) {
      case 'paid':
      case 'doubted':
      case 'vanished':
      case 'unsent':
        await this.#told('approve', async () => runtime.approve(finance1, proposal, made))
        await this.#told('execute', async () => runtime.execute(requester, proposal))
        return this.#seeThrough(proposal)
      case 'rejected':
        await this.#told('reject', async () => runtime.reject(finance1, proposal, made))
        return
      case 'withdrawn':
        await this.#told('withdraw', async () => runtime.withdraw(requester, proposal))
        return
      case 'hidden':
        return this.erase()
      case 'lapsed':
        break
    }
  }

  async erase(): Promise<void> {
    const made = this.#made
    if (made === null) return
    const answer = await this.#tried('erase', async () =>
      this.#stage.runtime.erase(privacy, made.proposal, { reason: 'asked' }),
    )
    if (answer?.outcome === 'erased') this.#acknowledge('erase', { ...made, revision: null, status: 'erased' })
  }

  /** Carries out what was asked for and has not been. */
  async eraseDue(): Promise<void> {
    await this.#tried('erase what is due', async () => this.#stage.runtime.eraseDue(privacy))
  }

  /** Closes what has expired, and looks once more. */
  async afterADay(): Promise<void> {
    const { runtime } = this.#stage
    const made = this.#made
    if (made === null || LIVES[this.#name].end === 'erased') return
    if (this.#name === 'lapsed') {
      const closed = await this.#tried('expire', async () => runtime.expireDue(service))
      const isClosed = closed?.expired.some((ref) => ref === made.proposal) ?? false
      if (isClosed) this.#acknowledge('expire', { ...made, revision: null, status: 'expired' })
    }
    await this.#told('reconcile', async () => runtime.reconcile(operator, made.proposal))
  }

  // Looks until nothing is in doubt, and sends again what may be.
  async #seeThrough(proposal: string): Promise<void> {
    const { runtime, clock } = this.#stage
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await clock.advance(5 * MINUTE_MS)
      const looked = await this.#told('reconcile', async () => runtime.reconcile(operator, proposal, { now: true }))
      if (looked === null || isInDoubt(looked.status)) continue
      if (looked.status !== 'approved') return
      await this.#told('execute', async () => runtime.execute(requester, proposal))
    }
  }

  async #prepare(): Promise<Told | null> {
    const order = this.#order
    const amount = { amount: '10.00', currency: 'EUR' }
    const command = { orderReference: order, intent: `what is owed for ${order}`, amount }
    const input = { action: 'example.payments/refund@1', command, requestKey: order.replace(' ', '-') }
    return this.#told('prepare', async () => this.#stage.runtime.prepare(requester, input))
  }

  async #told(step: string, act: () => Promise<Told>): Promise<Told | null> {
    const told = await this.#tried(step, act)
    if (told !== null) this.#acknowledge(step, told)
    return told
  }

  #acknowledge(
    step: string,
    told: { readonly proposal: string; readonly revision: number | null; readonly status: Status | 'erased' },
  ): void {
    const { proposal, revision, status } = told
    this.#stage.ledger.append({ kind: 'acknowledged', step, life: this.#name, proposal, revision, status })
  }

  async #tried<T>(step: string, act: () => Promise<T>): Promise<T | null> {
    try {
      return await act()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      this.#stage.ledger.append({ kind: 'refused', step: `${step} ${this.#name}`, code })
      return null
    }
  }
}
