// Commands about time: the clock moves on, by a little or to an instant that matters, the wall jumps, and what is due is done.
import { fc } from '@fast-check/vitest'
import type { Effect } from '../../../src/effect/effect.ts'
import type { Held } from '../book.ts'
import type { Person } from '../cast.ts'
import { nameOf } from '../effect-name.ts'
import { boundaryOf } from '../known.ts'
import { IN_FLIGHT_MS } from '../payment.ts'
import type { World } from '../world.ts'
import { command, type DrawnCommand, oneOf, which } from './command.ts'

/** The settling boundary; so long after the last read that another one is apart from it; and whatever is due. */
type InstantName = 'due' | 'lease' | 'boundary' | 'after_read' | 'expiry' | 'approval_expiry'

export const advance = command({
  name: 'advance',
  weight: 8,
  needsProposal: false,
  args: fc.constantFrom(1_000, 5_000, 10_000, 19_999, 20_000, 31_000, 60_000, 81_000, 120_000, 600_000),
  async perform({ clock }, ms) {
    await clock.advance(ms)
    return 'done'
  },
  learn: (expected, ms) => expected.clock.advanced(ms),
})

export const advanceTo = command({
  name: 'advanceTo',
  weight: 14,
  needsProposal: true,
  args: fc.record({
    which,
    instant: fc.constantFrom<InstantName>('due', 'due', 'lease', 'boundary', 'after_read', 'expiry', 'approval_expiry'),
    offsetMs: oneOf([0], [-1, 1]),
  }),
  async perform(world, { which: index, instant, offsetMs }) {
    const ms = msUntil(world, index, instant, offsetMs)
    if (ms === null) return 'nothing'
    await world.clock.advance(ms)
    return `done ${ms}`
  },
  learn: (expected, _args, outcome) => expected.clock.advanced(Number(/done (\d+)/u.exec(outcome)?.[1] ?? 0)),
})

export const jump = command({
  name: 'jump',
  weight: 2,
  needsProposal: false,
  args: fc.constantFrom(-3_600_000, -60_000, -1_000, 60_000, 300_000, 3_600_000),
  async perform(world, ms) {
    world.clock.setWall(world.clock.now() + ms)
    // The runtime looks at its clock at once, and may do nothing: from now on it knows.
    return world.run('jump', async () => {
      await world.runtime.expireDue(world.session('fiona'))
      return 'done'
    })
  },
  learn: (expected, ms) => expected.clock.jumped(ms),
})

export const expireDue = command({
  name: 'expireDue',
  weight: 2,
  needsProposal: false,
  args: fc.record({ by: oneOf<Person>(['worker'], ['fiona']) }),
  async perform(world, { by }) {
    return world.run('expireDue', async () => {
      const { expired } = await world.runtime.expireDue(world.session(by))
      return `expired: ${expired.join()}`
    })
  },
  learn: (expected, args, outcome) => expected.expiredDue(args, outcome),
})

export const timeCommands: readonly DrawnCommand[] = [advance, advanceTo, jump, expireDue]

/** How long it is until an instant that matters to a proposal; null if there is none to come. */
function msUntil(world: World, index: number, instant: InstantName, offsetMs: number): number | null {
  const held = world.held(index)
  if (held === null) return null
  const at = instantOf(held, world.book.effects.get(nameOf(held.proposal.effect)) ?? null, instant)
  if (at === null) return null
  const ms = at + offsetMs - world.clock.now()
  return ms > 0 ? ms : null
}

function instantOf({ proposal, approvals }: Held, effect: Effect | null, instant: InstantName): number | null {
  switch (instant) {
    case 'due':
      return effect?.verifyDueAt ?? null
    case 'lease':
      return effect?.attempts.at(-1)?.leaseUntil ?? null
    case 'boundary':
      return effect === null ? null : boundaryOf(effect.attempts, effect.observations)
    case 'after_read': {
      const read = effect?.observations.findLast(({ source }) => source === 'verifier')
      return read === undefined ? null : read.beganAt + IN_FLIGHT_MS
    }
    case 'expiry':
      return proposal.expiresAt
    case 'approval_expiry':
      return approvals.at(-1)?.expiresAt ?? null
  }
}
