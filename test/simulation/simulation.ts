// One simulation: faults and people at first, then only recovery; everything that must hold is checked all along.
import { Action, type Preview, type Snapshot } from '../../src/proposal/action.ts'
import type { Clock, Store } from '../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { seededIds } from '../../src/testing/seeded-ids.ts'
import { memoryGround } from '../model/grounds.ts'
import { Checks } from '../model/invariants.ts'
import { type Payment, PROFILES } from '../model/payment.ts'
import type { Tally } from '../model/run.ts'
import { START } from '../model/world.ts'
import { Fleet } from './fleet.ts'
import { Office } from './office.ts'
import { actOf, operate } from './people.ts'
import { type Plan, planOf } from './plan.ts'
import { Random } from './random.ts'
import { Schedule } from './schedule.ts'
import { DrawnScripts } from './scripts.ts'
import { nextDueIn, unsettledIn } from './settled.ts'
import { KEYS } from './simulated-keyring.ts'
import { Tenant } from './tenant.ts'
import { Trouble } from './trouble.ts'

/** How many recovery rounds everything may take, and what is at least between them. Spec: reliability I36. */
const TICKS_MAX = 40
const RESTLESS_ROUNDS_MAX = 5
const TICK_MS = 30_000
/** Whatever is asked for is answered by then: hosts have limits, and a frozen machine goes on. */
const ANSWERED_MS = 30 * 60_000
/** How many entries the books may grow by between two looks at everything. */
const CHECK_EVERY = 40

/** What broke is neither settled nor waits for a person, or does not come to rest. */
class NotSettled extends Error {
  constructor(says: string) {
    super(`invariant I36 once the faults stop, everything is settled or waits for a person with a reason: ${says}`)
    this.name = 'NotSettled'
  }
}

export class Simulation {
  readonly schedule: Schedule
  readonly plan: Plan
  readonly #random: Random
  readonly #tally: Tally
  readonly #trouble: Trouble
  readonly #office: Office
  readonly #fleet: Fleet
  readonly #tenants: readonly Tenant[]
  readonly #checks: readonly Checks[]
  #checked = 0

  constructor(seed: number, tally: Tally) {
    this.#random = new Random(seed)
    this.#tally = tally
    this.schedule = new Schedule(this.#random)
    this.plan = planOf(this.#random)
    this.#trouble = new Trouble(this.#random, this.plan.rates, tally)
    this.#office = new Office(this.schedule, tally)
    const clock = trueClock(this.schedule)
    const ground = memoryGround(clock)
    const shared = {
      plan: this.plan,
      ground,
      clock,
      scripts: new DrawnScripts(this.#random, this.#trouble, PROFILES[this.plan.profile]),
      runtime: readerOf(ground.store(), clock, this.plan),
      hadTrouble: () => this.#trouble.mayHaveForgotten,
      isBusy: () => this.#office.isBusy,
      isAtWork: (instance: number) => this.#fleet.isAtWork(instance),
    }
    this.#tenants = this.plan.tenants.map((name) => new Tenant(name, shared))
    this.#checks = this.#tenants.map((tenant) => new Checks(tenant))
    this.#fleet = new Fleet({
      seed,
      plan: this.plan,
      schedule: this.schedule,
      trouble: this.#trouble,
      tally,
      store: ground.store(),
      tenants: this.#tenants,
    })
  }

  /** @throws InvariantBroken, NotSettled, or whatever a fault of the library threw */
  async run(): Promise<void> {
    this.#fleet.start()
    for (let event = 0; event < this.plan.events; event++) {
      await this.schedule.runUntil(
        this.schedule.nowMs + this.#random.pick([0, 50, 1_000, 5_000, 15_000, 40_000, 90_000]),
      )
      this.#happens()
      await this.#look()
    }
    await this.#heal()
    await this.#recover()
    await this.#operate()
    await this.#recover()
    await this.#checkAll('everything')
    for (const tenant of this.#tenants) count(tenant, this.#tally)
  }

  // Something happens, whether or not what happened before is over.
  #happens(): void {
    this.#fleet.suffer()
    const machine = this.#fleet.any()
    if (machine === null) return
    const tenant = this.#random.pick(this.#tenants)
    const scene = { random: this.#random, office: this.#office, machine, tenant }
    const isRound = this.#random.chance(0.3)
    this.schedule.start(isRound ? this.#fleet.round(this.#office, machine, this.#tenants) : actOf(scene))
  }

  // Nothing goes wrong any more; what is under way comes to its end.
  async #heal(): Promise<void> {
    this.schedule.tell('the faults stop')
    this.#trouble.stop()
    for (const tenant of this.#tenants) {
      tenant.directory.barred.clear()
      tenant.business.isGone = false
      tenant.release()
    }
    this.#fleet.heal()
    await this.#untilAnswered()
    await this.#checkAll()
  }

  // People do what they are asked for, and some of it more than once: two operators free a claim.
  async #operate(): Promise<void> {
    for (const tenant of this.#tenants) {
      const asking = [...tenant.book.proposals.values()].filter(({ proposal }) => {
        return proposal.status === 'verification_unresolved'
      })
      for (let act = 0; act < 2 * asking.length; act++) {
        const machine = this.#fleet.any()
        if (machine === null) throw new Error('all machines are up by now')
        this.schedule.start(operate({ random: this.#random, office: this.#office, machine, tenant }))
        await this.#untilAnswered()
      }
    }
  }

  async #recover(): Promise<void> {
    for (let tick = 0; ; tick++) {
      const unsettled = this.#tenants.flatMap(unsettledIn)
      if (unsettled.length === 0) {
        this.#tally.add(`settled within ${Math.ceil(tick / 10) * 10} ticks`)
        break
      }
      if (tick === TICKS_MAX) throw new NotSettled(unsettled.join(', '))
      await this.#tick()
      await this.schedule.runUntil(this.schedule.nowMs + this.#untilNextTick())
    }
    await this.#comesToRest()
  }

  // Nobody waits for rounds that have nothing to do: a clock that was an hour ahead may have put something off for an hour.
  #untilNextTick(): number {
    const now = START + this.schedule.nowMs
    const dueIn = this.#tenants.flatMap((tenant) => {
      const due = nextDueIn(tenant, now)
      return due === null ? [] : [due - now]
    })
    return dueIn.length === 0 ? TICK_MS : Math.max(TICK_MS, Math.min(...dueIn))
  }

  // Once everything is settled, looking for what is due soon changes nothing: no worker spins. What was under way may still
  // end, be it a call that returns late or the lease of a look whose machine has died.
  async #comesToRest(): Promise<void> {
    for (let round = 0; round < RESTLESS_ROUNDS_MAX; round++) {
      const before = this.#entries()
      await this.#tick()
      if (this.#entries() === before) return
      await this.schedule.runUntil(this.schedule.nowMs + TICK_MS)
    }
    throw new NotSettled('every round on what is settled wrote or asked something')
  }

  async #tick(): Promise<void> {
    for (const machine of this.#fleet.alive) {
      this.schedule.start(this.#fleet.round(this.#office, machine, this.#tenants))
    }
    await this.#untilAnswered()
    await this.#look()
  }

  async #untilAnswered(): Promise<void> {
    await this.schedule.runWhile(() => this.#office.isBusy || this.#fleet.isOpening, this.schedule.nowMs + ANSWERED_MS)
  }

  #entries(): number {
    return this.#tenants.reduce((sum, { book }) => sum + book.entries.length, 0)
  }

  async #look(): Promise<void> {
    const broken = this.#tenants.some((tenant) => tenant.broken !== null)
    if (broken || this.#entries() - this.#checked >= CHECK_EVERY) await this.#checkAll()
  }

  async #checkAll(of: 'fresh' | 'everything' = 'fresh'): Promise<void> {
    this.#checked = this.#entries()
    for (const checks of this.#checks) await checks.all(of)
  }
}

function trueClock(schedule: Schedule): Clock {
  return {
    now: () => START + schedule.nowMs,
    monotonic: () => schedule.nowMs,
    timer: (ms, fire) => schedule.in(ms, fire),
  }
}

// Reads for the checks: it takes no turns and writes nothing, so that it changes nothing of the run.
function readerOf(store: Store, clock: Clock, { profile }: Plan): Pick<ProposalRuntime, 'read'> {
  let opened: Promise<ProposalRuntime> | null = null
  const open = async (): Promise<ProposalRuntime> => {
    const actions = PROFILES[profile].contracts.map((contract) => new ReadOnlyAction(contract))
    return ProposalRuntime.open({ store, keyring: KEYS, actions, clock, ids: seededIds(0) })
  }
  return {
    read: async (...input) => {
      opened ??= open()
      return (await opened).read(...input)
    },
  }
}

/** Somebody who reads needs to know who may, and nothing else. */
class ReadOnlyAction extends Action<Payment> {
  readonly contract: Payment
  constructor(contract: Payment) {
    super()
    this.contract = contract
  }
  async prepare(): Promise<never> {
    throw new Error('nothing is prepared by who only reads')
  }
  preview({ order, amount, paid }: Snapshot<Payment>): Preview<Payment> {
    return { order, amount, alreadyPaid: paid }
  }
  async resolve(): Promise<never> {
    throw new Error('nothing is resolved by who only reads')
  }
  async execute(): Promise<never> {
    throw new Error('nothing is executed by who only reads')
  }
  async verify(): Promise<never> {
    throw new Error('nothing is verified by who only reads')
  }
  override async fence(): Promise<never> {
    throw new Error('nothing is fenced by who only reads')
  }
  override async cancel(): Promise<never> {
    throw new Error('nothing is cancelled by who only reads')
  }
}

function count({ book }: Tenant, tally: Tally): void {
  for (const { proposal, tombstone, receipts } of book.proposals.values()) {
    tally.add(`status ${proposal.status}`)
    if (tombstone !== null) tally.add('erased')
    for (const { body } of receipts) if (body !== null) tally.add(`receipt ${body.type}`)
  }
  for (const { attempts, observations, settlement } of book.effects.values()) {
    tally.add(`attempts ${attempts.length}`)
    for (const { ending } of attempts) tally.add(`ending ${ending?.kind ?? 'open'}`)
    for (const { answer, verdict } of observations) tally.add(`observed ${answer} ${verdict}`)
    if (settlement !== null) tally.add(`settled ${settlement.verdict}`)
  }
}
