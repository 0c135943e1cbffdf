// Commands that make trouble: restarts, faults of the store, an attacker who edits rows; and erasure.
import { fc } from '@fast-check/vitest'
import type { Person } from '../cast.ts'
import { nameOf } from '../effect-name.ts'
import { damageOf, TAMPERINGS } from '../tampering.ts'
import type { CommitFault } from '../watched-store.ts'
import { command, type DrawnCommand, oneOf, which } from './command.ts'

const erase = command({
  name: 'erase',
  weight: 2,
  needsProposal: true,
  args: fc.record({ which, by: oneOf<Person>(['pia'], ['rita', 'bot', 'oscar']) }),
  async perform(world, { which: index, by }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    return world.run('erase', async () => {
      const { outcome, reason } = await world.runtime.erase(world.session(by), held.proposal.ref, { reason: 'gdpr' })
      return `${outcome} ${reason}`
    })
  },
  learn: (expected, { which: index }, outcome) => expected.erased(index, outcome),
})

const eraseDue = command({
  name: 'eraseDue',
  weight: 1,
  needsProposal: true,
  args: fc.record({ by: oneOf<Person>(['pia'], ['worker']) }),
  async perform(world, { by }) {
    return world.run('eraseDue', async () => {
      const results = await world.runtime.eraseDue(world.session(by))
      return `erased: ${results.map(({ outcome, proposal }) => `${outcome} ${proposal}`).join()}`
    })
  },
})

export const restart = command({
  name: 'restart',
  weight: 3,
  needsProposal: false,
  args: fc.constantFrom<'crash' | 'left_alive'>('crash', 'left_alive'),
  async perform(world, kind) {
    await world.restart(kind)
    return 'done'
  },
  learn: (expected) => expected.clock.restarted(),
})

const storeFault = command({
  name: 'storeFault',
  weight: 4,
  needsProposal: false,
  args: fc.record({
    nth: fc.integer({ min: 1, max: 4 }),
    fault: fc.constantFrom<CommitFault>('refused', 'lost', 'lost_before', 'slow'),
  }),
  async perform({ faults }, { nth, fault }) {
    faults.at(nth, fault)
    return 'done'
  },
})

export const tamper = command({
  name: 'tamper',
  weight: 3,
  needsProposal: true,
  args: fc.record({ which, tampering: fc.constantFrom(...TAMPERINGS) }),
  async perform(world, { which: index, tampering }) {
    const held = world.held(index)
    // Whoever has read a row before it is damaged goes on with what was there.
    if (held === null || world.isBusy || world.tampered.has(held.proposal.ref)) return 'nothing'
    const live = await world.liveOf(held.proposal.ref)
    const other = await world.otherThan(held.proposal.ref)
    const damage = live === null ? null : damageOf(tampering, live, other)
    if (live === null || damage === null) return 'nothing'
    await world.ground.damage(live, damage, tampering)
    world.tampered.set(held.proposal.ref, { tampering, live, damage, since: world.book.next() })
    return 'done'
  },
  learn: (expected, { which: index }) => expected.doubt(index),
})

export const repair = command({
  name: 'repair',
  weight: 3,
  needsProposal: true,
  args: fc.constant(null),
  async perform(world) {
    const { tampered, ground } = world
    for (const { live, damage } of tampered.values()) await ground.repair(live, damage)
    tampered.clear()
    for (const name of world.corrupt) {
      const effect = world.book.effects.get(name)
      if (effect === undefined) continue
      await ground.mend(effect.key)
      world.book.overwrite({ ...effect, version: effect.version + 1 })
    }
    world.corrupt.clear()
    return 'done'
  },
})

const corrupt = command({
  name: 'corrupt',
  weight: 1,
  needsProposal: true,
  args: fc.record({ which }),
  async perform(world, { which: index }) {
    const held = world.held(index)
    const effect = held === null ? undefined : world.book.effects.get(nameOf(held.proposal.effect))
    if (effect === undefined || world.corrupt.has(nameOf(effect.key))) return 'nothing'
    await world.ground.corrupt(effect.key)
    world.book.overwrite({ ...effect, version: effect.version + 1 })
    world.corrupt.add(nameOf(effect.key))
    world.wasCorrupt = true
    return 'done'
  },
})

export const troubleCommands: readonly DrawnCommand[] = [erase, eraseDue, restart, storeFault, tamper, repair, corrupt]
