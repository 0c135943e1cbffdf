// The fleet of a simulation: its machines, which open a runtime, go on after one another, and have rounds of what is due.
import type { Store } from '../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { Refusal } from '../../src/proposal/errors.ts'
import { seededIds } from '../../src/testing/seeded-ids.ts'
import { PROFILES } from '../model/payment.ts'
import type { Tally } from '../model/run.ts'
import { Machine } from './machine.ts'
import type { Office } from './office.ts'
import type { Plan } from './plan.ts'
import type { Schedule } from './schedule.ts'
import { simulatedAction } from './simulated-action.ts'
import { simulatedKeyring } from './simulated-keyring.ts'
import { simulatedStore } from './simulated-store.ts'
import type { Tenant } from './tenant.ts'
import type { Trouble } from './trouble.ts'
import { carryOutDue } from './worker.ts'

const RESTART_MS_MAX = 20_000
const OPEN_AGAIN_MS = 1_000

interface FleetParts {
  readonly seed: number
  readonly plan: Plan
  readonly schedule: Schedule
  readonly trouble: Trouble
  readonly tally: Tally
  readonly store: Store
  readonly tenants: readonly Tenant[]
}

export class Fleet {
  readonly #parts: FleetParts
  #machines: Machine[] = []
  #instances = 0
  #opening = 0

  constructor(parts: FleetParts) {
    this.#parts = parts
  }

  /** Those that are open and have not died. */
  get alive(): readonly Machine[] {
    return this.#machines.filter(({ runtime, isDead }) => runtime !== null && !isDead)
  }

  /** Whether a machine is on its way up. */
  get isOpening(): boolean {
    return this.#opening > 0
  }

  isAtWork(instance: number): boolean {
    return this.#machines.some((machine) => machine.instance === instance && !machine.isDead)
  }

  start(): void {
    for (let machine = 0; machine < this.#parts.plan.machines; machine++) this.#boot()
  }

  /** One that can be asked; null while all are down. */
  any(): Machine | null {
    const { alive } = this
    return alive.length === 0 ? null : this.#parts.schedule.random.pick(alive)
  }

  /** What happens to machines happens. */
  suffer(): void {
    const { schedule, trouble } = this.#parts
    const { random } = schedule
    const machine = this.any()
    if (machine === null) return
    if (trouble.strikes('machine frozen')) {
      schedule.tell(`${machine.instance} freezes`)
      machine.freeze(random.pick([2_000, 20_000, 60_000, 120_000]))
    }
    if (trouble.strikes('machine jumped')) {
      schedule.tell(`${machine.instance} jumps in time`)
      machine.jump(random.pick([-3_600_000, -60_000, -4_000, 4_000, 60_000, 3_600_000]))
    }
  }

  /** Everything is up, awake, and knows what time it is as well as it did at first. */
  heal(): void {
    const { plan, schedule } = this.#parts
    for (const machine of this.#machines) {
      machine.thaw()
      machine.setRight(schedule.random.between(-plan.skewMs, plan.skewMs))
    }
  }

  /** A machine carries out what is due, unless it is still at it. */
  async round(office: Office, machine: Machine, tenants: readonly Tenant[]): Promise<void> {
    if (machine.isTicking) return
    machine.isTicking = true
    for (const tenant of tenants) await carryOutDue(office, machine, tenant)
    machine.isTicking = false
  }

  #boot(): void {
    const { plan, schedule } = this.#parts
    this.#instances += 1
    const skewMs = schedule.random.between(-plan.skewMs, plan.skewMs)
    const machine = new Machine({ schedule, instance: this.#instances, skewMs, latencyMs: plan.latencyMs })
    this.#machines.push(machine)
    this.#opening += 1
    schedule.start(this.#open(machine))
  }

  async #open(machine: Machine): Promise<void> {
    const { seed, plan, schedule, trouble, tenants, store: bare } = this.#parts
    const tenantOf = (name: string): Tenant => {
      const tenant = tenants.find((one) => one.tenant === name)
      if (tenant === undefined) throw new Error(`something was written for ${name}, which is no tenant`)
      return tenant
    }
    const crash = (dead: Machine): void => this.#crash(dead)
    const store = simulatedStore({ store: bare, machine, schedule, trouble, tenantOf, crash })
    const keyring = simulatedKeyring(machine, trouble)
    const actions = PROFILES[plan.profile].contracts.map((contract) => {
      return simulatedAction({ contract, machine, tenants, trouble })
    })
    const ids = seededIds(seed * 31 + machine.instance)
    for (;;) {
      try {
        machine.runtime = await ProposalRuntime.open({ store, keyring, actions, clock: machine, ids })
        break
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        await schedule.after(OPEN_AGAIN_MS)
      }
    }
    this.#opening -= 1
    schedule.tell(`${machine.instance} is up`)
  }

  #crash(machine: Machine): void {
    const { schedule, tally } = this.#parts
    if (machine.isDead) return
    machine.isDead = true
    if (machine.runtime === null) this.#opening -= 1
    schedule.tell(`${machine.instance} dies`)
    tally.add('restarts')
    this.#opening += 1
    schedule.in(schedule.random.between(0, RESTART_MS_MAX), () => {
      this.#opening -= 1
      this.#boot()
    })
  }
}
