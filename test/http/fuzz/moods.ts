// Moods: what happens in the host between two requests, so that requests meet proposals in every state.
import { PreparationRefused, StoreUnavailable } from '../../../src/proposal/errors.ts'
import type { ProblemCode } from '../../../src/http/wire/http-refusals.ts'
import { MINUTE_MS } from '../../runtime/harness.ts'
import {
  answering,
  executing,
  found,
  foundOther,
  foundTwice,
  gone,
  goneForGood,
  lost,
  refusing,
  reversed,
  unavailable,
} from '../../runtime/operators.ts'
import type { FuzzWorld } from './fuzz-world.ts'
import { PRIVATE_MARK } from './holes.ts'

/** Something that happens; the codes under which a request may then fail through no fault of the app. */
export interface Mood {
  readonly happens: (world: FuzzWorld) => void | Promise<void>
  readonly brings?: readonly ProblemCode[]
}

const speaking = async (): Promise<never> => {
  throw new Error(`${PRIVATE_MARK} words of the host`)
}

/** By name. A mood stays until another one takes its place; those that bring failure last for one request. */
export const MOODS: Readonly<Record<string, Mood>> = {
  nothing: { happens: () => {} },
  'a second passes': { happens: async ({ clock }) => clock.advance(1_000) },
  'some seconds pass': { happens: async ({ clock }) => clock.advance(6_000) },
  'minutes pass': { happens: async ({ clock }) => clock.advance(3 * MINUTE_MS) },
  'hours pass': { happens: async ({ clock }) => clock.advance(121 * MINUTE_MS) },
  'the order changes': {
    happens({ action }) {
      action.business.orderVersion += 1
    },
  },
  'calls are accepted': { happens: (world) => executing(world, async () => ({ status: 'accepted' })) },
  'calls book': { happens: (world) => void (world.action.methods.execute = world.booking) },
  'answers are lost': { happens: (world) => executing(world, lost) },
  'calls speak': { happens: (world) => executing(world, speaking) },
  'calls are refused': { happens: (world) => executing(world, refusing) },
  'the effect is found': { happens: (world) => answering(world, found) },
  'it is found twice': { happens: (world) => answering(world, foundTwice) },
  'another one is found': { happens: (world) => answering(world, foundOther) },
  'nothing is found': { happens: (world) => answering(world, gone) },
  'nothing will be found': { happens: (world) => answering(world, goneForGood) },
  'it was reversed': { happens: (world) => answering(world, reversed) },
  'the target is away': { happens: (world) => answering(world, unavailable) },
  'the verifier speaks': { happens: (world) => void (world.action.methods.verify = speaking) },
  'preparing is refused': {
    happens: (world) =>
      world.once('prepare', async () => {
        throw new PreparationRefused('order_closed')
      }),
  },
  'preparing speaks': { happens: (world) => world.once('prepare', speaking), brings: ['preparation_failed'] },
  'resolving speaks': { happens: (world) => world.once('resolve', speaking) },
  'the directory speaks': { happens: (world) => world.once('can', speaking), brings: ['authorization_unavailable'] },
  'the store is away': {
    happens: (world) => world.storeFails(new StoreUnavailable()),
    brings: ['store_unavailable'],
  },
}
