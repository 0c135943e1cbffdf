// Commands that only read: whatever they show, they write nothing.
import { fc } from '@fast-check/vitest'
import type { Person } from '../cast.ts'
import type { World } from '../world.ts'
import { command, type DrawnCommand, oneOf, which } from './command.ts'

type Reading = 'read' | 'check' | 'list' | 'receipts' | 'exportEvidence'

const view = command({
  name: 'view',
  weight: 3,
  needsProposal: true,
  args: fc.record({
    which,
    by: oneOf<Person>(['oscar'], ['rita', 'fiona', 'sam', 'gate']),
    what: fc.constantFrom<Reading>('read', 'check', 'list', 'receipts', 'exportEvidence'),
  }),
  async perform(world, { which: index, by, what }) {
    const ref = world.held(index)?.proposal.ref
    if (ref === undefined) return 'nothing'
    world.around.scripts.resolve = 'honest'
    const before = world.book.entries.filter(({ kind }) => kind !== 'resolved').length
    const outcome = await world.run(what, () => reading(world, by, what, ref))
    const after = world.book.entries.filter(({ kind }) => kind !== 'resolved').length
    if (after !== before) throw new Error(`${what} was to read only`)
    return outcome
  },
})

export const readingCommands: readonly DrawnCommand[] = [view]

async function reading(world: World, by: Person, what: Reading, ref: string): Promise<string> {
  const { runtime } = world
  const caller = world.session(by)
  switch (what) {
    case 'read': {
      const view = await runtime.read(caller, ref)
      const { revision, status } = view.kind === 'erased' ? view.tombstone : view
      return `read ${view.kind} ${status} ${revision}`
    }
    case 'check':
      return `checked ${JSON.stringify(await runtime.check(caller, ref))}`
    case 'list':
      return `listed ${(await runtime.list(caller)).items.map((item) => `${item.proposal} ${item.status}`).join()}`
    case 'receipts': {
      const { receipts } = await runtime.receipts(caller, ref)
      return `receipts ${receipts.map(({ body }) => body?.type ?? 'none').join()}`
    }
    case 'exportEvidence': {
      const { receipts, observations, status } = await runtime.exportEvidence(caller, ref)
      return `exported ${status} ${receipts.length} ${observations.length}`
    }
  }
}
