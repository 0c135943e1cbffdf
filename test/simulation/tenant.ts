// One tenant of a simulation: its business, its targets, and everything that became durable or was asked of its host.
import { parseReference, type Reference } from '../../src/effect/reference.ts'
import type { Snapshot } from '../../src/proposal/action.ts'
import type { Session } from '../../src/proposal/session.ts'
import type { Change, Clock } from '../../src/runtime/ports.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import type { Surroundings } from '../model/action.ts'
import { Book, type Committed } from '../model/book.ts'
import { type Person, sessionOf } from '../model/cast.ts'
import type { Ground } from '../model/grounds.ts'
import type { Witness } from '../model/invariants/invariant.ts'
import { type Payment, type Profile, PROFILES } from '../model/payment.ts'
import type { Scripts } from '../model/scripts.ts'
import { Target } from '../model/target.ts'
import type { Plan } from './plan.ts'

/** What the tenants of a simulation share. */
export interface Shared {
  readonly plan: Plan
  readonly ground: Ground
  /** True time, which no machine has. */
  readonly clock: Clock
  readonly scripts: Scripts
  readonly runtime: Pick<ProposalRuntime, 'read'>
  readonly hadTrouble: () => boolean
  readonly isBusy: () => boolean
  readonly isAtWork: (instance: number) => boolean
}

export class Tenant implements Witness {
  readonly tenant: Reference
  readonly profile: Profile
  readonly book: Book
  readonly targets: ReadonlyMap<string, Target>
  readonly tampered = new Map<string, never>()
  readonly corrupt = new Set<string>()
  broken: Error | null = null
  readonly ground: Ground
  readonly runtime: Pick<ProposalRuntime, 'read'>
  readonly #shared: Shared
  readonly #around: Omit<Surroundings, 'clock'>
  /** What a machine offered in place of a proposal. */
  readonly #offered = new Map<string, Snapshot<Payment>>()

  constructor(name: string, shared: Shared) {
    const { plan, ground, clock, scripts, runtime } = shared
    this.#shared = shared
    this.tenant = parseReference(name, '')
    this.profile = PROFILES[plan.profile]
    this.book = new Book(apartMs(plan))
    this.ground = ground
    this.runtime = runtime
    this.#around = {
      book: this.book,
      business: { version: 1, paid: 0, note: 'as ordered', isGone: false },
      scripts,
      directory: { barred: new Set(), isDown: false },
      prepared: new Map(),
      offered: [],
      release: new Set(),
    }
    const { keyLifetimeMs } = this.profile
    const options = { clock, business: this.business, keyLifetimeMs, enforcesPrecondition: plan.enforcesPrecondition }
    this.targets = new Map(this.profile.contracts.map(({ type }) => [type, new Target(options)]))
  }

  get business(): Surroundings['business'] {
    return this.#around.business
  }

  get directory(): Surroundings['directory'] {
    return this.#around.directory
  }

  get hadTrouble(): boolean {
    return this.#shared.hadTrouble()
  }

  get isBusy(): boolean {
    return this.#shared.isBusy()
  }

  isAtWork(instance: number): boolean {
    return this.#shared.isAtWork(instance)
  }

  session(person: Person): Session {
    return sessionOf(this.tenant, person)
  }

  /** The surroundings as a machine sees them: by its own clock. */
  aroundOf(clock: Clock): Surroundings {
    return { ...this.#around, clock }
  }

  /** Takes note of what a machine offers in place of a proposal; which reference it gets is known once it is stored. */
  offer(instance: number, proposal: string, snapshot: Snapshot<Payment>): void {
    this.#offered.set(`${instance} ${proposal}`, structuredClone(snapshot))
  }

  /** Takes a change into the book that landed on behalf of a machine. */
  landed(instance: number, change: Change, at: Pick<Committed, 'at' | 'beganMs' | 'barred'>): Committed {
    for (const write of change.proposals) {
      if (write.kind !== 'insert' || this.#around.prepared.has(write.proposal.ref)) continue
      const offered = this.#offered.get(`${instance} ${write.proposal.replaces}`)
      if (offered !== undefined) this.#around.prepared.set(write.proposal.ref, offered)
    }
    return this.book.commit(change, at)
  }

  preparedFor(ref: string): Snapshot<Payment> {
    const prepared = this.#around.prepared.get(ref)
    if (prepared === undefined) throw new Error(`nothing was prepared for ${ref}`)
    return prepared
  }

  /** Ends the calls that would never end by themselves. */
  release(): void {
    for (const end of this.#around.release) end()
    this.#around.release.clear()
  }
}

// How exactly a machine knows the store's time: to the length of an answer, where its own is another.
function apartMs({ skewMs, latencyMs, rates }: Plan): number {
  if (rates['machine jumped'] > 0) return Number.POSITIVE_INFINITY
  if (skewMs === 0) return 0
  const isSlow = rates['machine frozen'] > 0 || rates['commit slow'] > 0
  return isSlow ? Number.POSITIVE_INFINITY : 2 * (skewMs + latencyMs)
}
