// The store as a machine sees it: every request and every answer takes a turn, and some go wrong on the way.
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../../src/proposal/errors.ts'
import type { Change, Store } from '../../src/runtime/ports.ts'
import { type Around, InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { never } from '../model/waiting.ts'
import type { Machine } from './machine.ts'
import type { Schedule } from './schedule.ts'
import type { Tenant } from './tenant.ts'
import type { Trouble } from './trouble.ts'

const SLOW_MS = 31_000
const LATE_MS = 90_000

interface Parts {
  readonly store: Store
  readonly machine: Machine
  readonly schedule: Schedule
  readonly trouble: Trouble
  readonly tenantOf: (name: string) => Tenant
  readonly crash: (machine: Machine) => void
}

export function simulatedStore({ store, machine, schedule, trouble, tenantOf, crash }: Parts): Store {
  async function die(): Promise<never> {
    crash(machine)
    return never()
  }

  const around: Around = async (name, call, change) => {
    if (change !== null) return commit(call, change)
    await machine.pause(`asks ${name}`)
    if (trouble.strikes('crash at_any_await')) return die()
    if (trouble.strikes('read failed')) throw new StoreUnavailable('The store is out of reach.')
    const answer = await call()
    await machine.pause(`hears ${name}`)
    return answer
  }

  async function commit<T>(call: () => Promise<T>, change: Change): Promise<T> {
    const tenant = tenantOf(change.tenant)
    const began = { beganMs: machine.monotonic(), barred: new Set(tenant.directory.barred) }
    const land = async (): Promise<{ readonly answer: T; readonly acknowledge: () => void }> => {
      const answer = await call()
      if (!isCommitted(answer)) return { answer, acknowledge: () => {} }
      const landed = tenant.landed(machine.instance, change, { ...began, at: answer.at })
      return { answer, acknowledge: () => (landed.acknowledged ??= tenant.book.next()) }
    }

    await machine.pause('commits')
    if (trouble.strikes('crash before_commit')) return die()
    if (trouble.strikes('commit refused')) throw new StoreUnavailable('The store is out of reach.')
    if (trouble.strikes('commit lost_before')) throw new PersistenceOutcomeUnknown(null)
    if (trouble.strikes('commit lands_late')) {
      schedule.start(schedule.after(schedule.random.between(1, LATE_MS)).then(land))
      throw new PersistenceOutcomeUnknown(null)
    }
    const { answer, acknowledge } = await land()
    if (trouble.strikes('crash after_commit')) return die()
    if (trouble.strikes('commit slow')) await schedule.after(SLOW_MS)
    await machine.pause('has committed')
    if (trouble.strikes('commit lost')) throw new PersistenceOutcomeUnknown(null)
    acknowledge()
    return answer
  }

  return new InterceptedStore(store, around)
}

function isCommitted(answer: unknown): answer is { readonly kind: 'committed'; readonly at: number } {
  return typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'committed'
}
