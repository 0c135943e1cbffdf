// The fuzzed app with its host: two tenants, proposals in the states that were drawn, and secrets in everything.
import type { Hono } from 'hono'
import { createApp } from '../../../src/http.ts'
import type { StoreName } from '../../store/fresh-stores.ts'
import { type World, worldOf } from '../../runtime/harness.ts'
import { elsewhere, finance1, requester } from '../../runtime/sessions.ts'
import { reach, type State } from '../../runtime/states.ts'
import type { Methods, TestAction } from '../../runtime/refund.ts'
import { httpPermissions } from '../world.ts'
import { authenticate } from './callers.ts'
import { PRIVATE_MARK } from './holes.ts'

/** What is drawn of a world before anything is sent. */
export interface Setting {
  readonly store: StoreName
  readonly states: readonly State[]
  readonly seed: number
}

export interface FuzzWorld extends World {
  readonly app: Hono
  /** By proposal, the order that no other one shows. */
  readonly orders: Map<string, string>
  /** The executor that books what it is asked to. */
  readonly booking: Methods['execute']
  /** Replaces a method of the action until `calm`. */
  once<Name extends 'prepare' | 'resolve' | 'can'>(name: Name, method: Methods[Name]): void
  /** Every call of the store fails until `calm`. */
  storeFails(error: Error): void
  calm(): void
}

/** Opens a world; whoever asked closes it. */
export async function openFuzzWorld({ store, states, seed }: Setting): Promise<FuzzWorld> {
  let failure: Error | null = null
  const world = await worldOf({
    store,
    seed,
    contract: {
      permissions: httpPermissions,
      lifetime: '2h',
      verification: { absences: 1 },
      acceptProof: { failure: ['terminal', 'key_consumed'], resend: ['terminal'] },
    },
    async around(_name, call) {
      if (failure !== null) throw failure
      return call()
    },
  })
  const { action } = world
  withSecrets(action)
  const sound = { ...action.methods }
  const fuzzed: FuzzWorld = {
    ...world,
    app: createApp({ runtime: world.runtime, authenticate }),
    orders: new Map(),
    booking: sound.execute,
    once(name, method) {
      action.methods[name] = method
    },
    storeFails(error) {
      failure = error
    },
    calm() {
      failure = null
      const { prepare, resolve, can } = sound
      Object.assign(action.methods, { prepare, resolve, can })
    },
  }
  await fill(fuzzed, states)
  Object.assign(action.methods, sound)
  return fuzzed
}

// Everybody's customer is a secret, and everybody has another one.
function withSecrets({ methods, business }: TestAction): void {
  const { prepare } = methods
  methods.prepare = async (input) => {
    const prepared = await prepare(input)
    return { ...prepared, snapshot: { ...prepared.snapshot, customer: customerOf(input.command.orderReference) } }
  }
  methods.resolve = async ({ snapshot }) => ({
    current: { ...snapshot, orderVersion: business.orderVersion },
    precondition: `order-version:${business.orderVersion}`,
  })
}

function customerOf(order: string): string {
  return `${PRIVATE_MARK} customer of ${order}`
}

/** Stands in everything that the other tenant’s proposals show. */
export const ELSEWHERE_MARK = 'ORD-ELSEWHERE'

async function fill(world: FuzzWorld, states: readonly State[]): Promise<void> {
  const other = { requester: elsewhere(requester), finance: elsewhere(finance1) }
  for (const number of [1, 2]) {
    const input = world.input({ orderReference: `${ELSEWHERE_MARK}-${number}`, memo: `${PRIVATE_MARK} memo` })
    const { proposal, commitment } = await world.runtime.prepare(other.requester, input)
    if (number === 2) await world.runtime.approve(other.finance, proposal, { commitment, comment: ELSEWHERE_MARK })
  }
  for (const [index, state] of states.entries()) {
    const own = { orderReference: `ORD-STATE-${index}`, intent: `intent ${index}`, memo: `${PRIVATE_MARK} memo` }
    const input: World['input'] = (fields) => world.input({ ...fields, ...own })
    const ref = await reach[state]({ ...world, input, prepared: async () => world.prepared(requester, input()) })
    // Whoever superseded it shows the same order.
    if (state !== 'superseded') world.orders.set(ref, own.orderReference)
  }
}
