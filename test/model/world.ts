// The world of one model run: a runtime on a store, its targets and business, and whoever waits for an answer.
import type { Snapshot } from '../../src/proposal/action.ts'
import { Refusal } from '../../src/proposal/errors.ts'
import type { Session } from '../../src/proposal/session.ts'
import { parseReference, type Reference } from '../../src/effect/reference.ts'
import type { Keyring, LiveProposal } from '../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { type Around, InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { seededIds } from '../../src/testing/seeded-ids.ts'
import type { PatientClock } from '../store/patient-clock.ts'
import { ModelAction, StoppingAction, type Surroundings } from './action.ts'
import { Book, type Held } from './book.ts'
import { type Person, sessionOf } from './cast.ts'
import type { Ground } from './grounds.ts'
import { type Payment, type Profile, type ProfileName, PROFILES } from './payment.ts'
import { smoothScripts } from './scripts.ts'
import { Target } from './target.ts'
import type { Damage, Tampering } from './tampering.ts'
import { CommitFaults, type Line, watchedStore } from './watched-store.ts'

/** When every run begins. */
export const START: number = Date.UTC(2030, 0, 1, 12)

/** What a run is about. Everything else follows from its commands. */
export interface Setting {
  readonly profile: ProfileName
  readonly enforcesPrecondition: boolean
  /** Of the ids that the runtime draws. */
  readonly seed: number
}

/** An operation that waits for time to go by. */
interface Pending {
  readonly label: string
  readonly line: Line
  ended: string | null
}

/** What an attacker did to a proposal, and what was there before. */
export interface Tampered {
  readonly tampering: Tampering
  readonly live: LiveProposal
  readonly damage: Damage
  /** Its place in the order of the book. */
  readonly since: number
}

export class World {
  readonly tenant: Reference
  readonly setting: Setting
  readonly profile: Profile
  readonly ground: Ground
  readonly clock: PatientClock
  readonly faults = new CommitFaults()
  readonly around: Surroundings
  /** By action. */
  readonly targets: ReadonlyMap<string, Target>
  readonly tampered = new Map<string, Tampered>()
  /** Effects whose row an attacker made unreadable. */
  readonly corrupt = new Set<string>()
  wasCorrupt = false
  /** How many runtimes there have been. */
  instance = 0
  /** What was thrown that is no refusal: a fault of the library. */
  broken: Error | null = null
  readonly #keyring: Keyring
  #runtime: ProposalRuntime | null = null
  #line: Line = { isCut: false }
  readonly #lines: Line[] = []
  #pending: Pending[] = []

  constructor(parts: {
    readonly ground: Ground
    readonly tenant: string
    readonly setting: Setting
    readonly keyring: Keyring
    readonly clock: PatientClock
  }) {
    const { ground, setting, keyring, clock } = parts
    this.tenant = parseReference(parts.tenant, '')
    this.ground = ground
    this.setting = setting
    this.profile = PROFILES[setting.profile]
    this.clock = clock
    this.#keyring = keyring
    this.around = {
      clock,
      book: new Book(),
      business: { version: 1, paid: 0, note: 'as ordered', isGone: false },
      scripts: smoothScripts(),
      directory: { barred: new Set(), isDown: false },
      prepared: new Map(),
      offered: [],
      release: new Set(),
    }
    this.targets = new Map(
      this.profile.contracts.map(({ type }) => {
        const { business } = this.around
        const { keyLifetimeMs } = this.profile
        const { enforcesPrecondition } = setting
        return [type, new Target({ clock, business, keyLifetimeMs, enforcesPrecondition })]
      }),
    )
  }

  get book(): Book {
    return this.around.book
  }

  get runtime(): ProposalRuntime {
    if (this.#runtime === null) throw new Error('the world has not been opened')
    return this.#runtime
  }

  /** The references of all proposals, those that were prepared first coming first. */
  get refs(): readonly string[] {
    return [...this.book.proposals.keys()]
  }

  session(person: Person): Session {
    return sessionOf(this.tenant, person)
  }

  /** A proposal by its place, counted from the newest one. */
  held(which: number): Held | null {
    const { refs } = this
    const ref = refs.at(-1 - (which % Math.max(1, refs.length)))
    return ref === undefined ? null : (this.book.proposals.get(ref) ?? null)
  }

  /** Opens a runtime, the first one or one in place of the one before; `between` stands between it and its store. */
  async open(between: Around = (_name, call) => call()): Promise<void> {
    this.instance += 1
    this.#line = { isCut: false }
    this.#lines.push(this.#line)
    const watched = watchedStore(this.clock.over(this.ground.store()), this.#line, this.faults, this.around)
    const store = new InterceptedStore(watched, between)
    const actions = this.profile.contracts.map((contract) => this.#actionOf(contract))
    const ids = seededIds(this.setting.seed * 31 + this.instance)
    this.#runtime = await ProposalRuntime.open({ store, keyring: this.#keyring, actions, clock: this.clock, ids })
  }

  /**
   * Replaces the runtime. After a crash the one before does nothing any more; without one it may still be at it, as a
   * process that was thought dead.
   */
  async restart(kind: 'crash' | 'left_alive'): Promise<void> {
    if (kind === 'crash') {
      this.#line.isCut = true
      this.#pending = this.#pending.filter(({ line }) => !line.isCut)
    }
    await this.ground.reopen()
    await this.open()
  }

  /** Whether the store has failed, so that something may not have been recorded. */
  get hadTrouble(): boolean {
    return this.faults.met > 0 || this.wasCorrupt
  }

  /** Whether it is the runtime that answers now; one before it may still be at work, and nobody waits for that. */
  isAtWork(instance: number): boolean {
    return instance === this.instance
  }

  /** Whether operations still wait for time to go by. */
  get isBusy(): boolean {
    return this.#pending.length > 0
  }

  /** Carries an operation out as far as it goes without time, and tells its outcome; `pending` if it waits. */
  async run(label: string, operation: () => Promise<string>): Promise<string> {
    const pending: Pending = { label, line: this.#line, ended: null }
    const ended = this.outcomeOf(operation, (outcome) => {
      pending.ended = outcome
    })
    await Promise.race([ended, this.clock.idle()])
    await this.clock.idle()
    if (pending.ended !== null) return pending.ended
    this.#pending.push(pending)
    return 'pending'
  }

  /** The outcome of an operation, whenever it comes; what is no refusal is a fault of the library. */
  async outcomeOf(operation: () => Promise<string>, tell: (outcome: string) => void = () => {}): Promise<string> {
    let outcome: string
    try {
      outcome = await operation()
    } catch (error) {
      if (!(error instanceof Refusal)) this.broken ??= errorOf(error)
      outcome = error instanceof Refusal ? `refused ${error.code}` : 'broken'
    }
    tell(outcome)
    return outcome
  }

  /** The outcomes of operations that waited and have ended since they were last asked for. */
  takeEnded(): readonly string[] {
    const ended = this.#pending.filter((pending) => pending.ended !== null)
    this.#pending = this.#pending.filter((pending) => pending.ended === null)
    for (const ref of this.refs) this.#remember(ref)
    return ended.map(({ label, ended: outcome }) => `${label}: ${outcome}`)
  }

  /** Ends the run: whatever still waits is never answered. */
  async leave(): Promise<void> {
    for (const line of this.#lines) line.isCut = true
    this.#pending = []
    await this.ground.leave()
  }

  /** What was prepared for a proposal; for a replacement, what its host offered. */
  preparedFor(ref: string): Snapshot<Payment> {
    const prepared = this.around.prepared.get(ref)
    if (prepared === undefined) throw new Error(`nothing was prepared for ${ref}`)
    return prepared
  }

  /** A proposal as its store holds it; null once it is erased. */
  async liveOf(ref: string): Promise<LiveProposal | null> {
    const stored = await this.ground.store().proposal(this.tenant, parseReference(ref, ''))
    return stored?.kind === 'live' ? stored : null
  }

  /** Another proposal that is live and that nobody has tampered with, if there is one. */
  async otherThan(ref: string): Promise<LiveProposal | null> {
    for (const other of this.refs) {
      const live = other === ref || this.tampered.has(other) ? null : await this.liveOf(other)
      if (live !== null) return live
    }
    return null
  }

  #remember(ref: string): void {
    const offered = this.around.offered.at(-1)
    if (!this.around.prepared.has(ref) && offered !== undefined) this.around.prepared.set(ref, offered)
  }

  #actionOf(contract: Payment): ModelAction {
    const target = this.targets.get(contract.type)
    if (target === undefined) throw new Error(`${contract.type} has no target`)
    const parts = { contract, target, around: this.around, instance: this.instance }
    return this.profile.stops ? new StoppingAction(parts) : new ModelAction(parts)
  }
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('something was thrown that is no error', { cause: thrown })
}
