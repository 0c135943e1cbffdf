// Commands about authority: prepare, approve, reject, take back, withdraw, and the directory of who may decide.
import { fc } from '@fast-check/vitest'
import type { Held } from '../book.ts'
import type { Person } from '../cast.ts'
import { AMOUNTS, approversOf } from '../payment.ts'
import type { World } from '../world.ts'
import { command, type DrawnCommand, oneOf, told, which } from './command.ts'

const INTENTS = ['damaged item', 'late delivery'] as const

const requesters = oneOf<Person>(['rita'], ['ruth', 'bot', 'fiona', 'sam'])
const deciders = oneOf<Person>(
  ['fiona', 'felix', 'dora', 'otto'],
  ['ruth', 'olga', 'bot', 'rita', 'oscar', 'sam', 'gate'],
)

/** A person, or an agent, asks for a payment. */
export const prepare = command({
  name: 'prepare',
  weight: 8,
  needsProposal: false,
  args: fc.record({
    by: requesters,
    intent: oneOf([0], [1]),
    amount: oneOf([0], [1]),
    action: fc.nat({ max: 1 }),
    requestKey: oneOf<string | null>([null], ['key-1', 'key-2']),
    replaces: oneOf<number | null>([null], [0, 1]),
  }),
  async perform(world, { by, intent, amount, action, requestKey, replaces }) {
    const { contracts } = world.profile
    const contract = contracts[action % contracts.length]
    const replaced = replaces === null ? null : world.held(replaces)
    return world.run('prepare', async () =>
      told(
        await world.runtime.prepare(world.session(by), {
          action: contract?.type ?? '',
          command: { order: 'ORD-1001', intent: INTENTS[intent] ?? '', amount: money(amount) },
          ...(requestKey === null ? {} : { requestKey }),
          ...(replaced === null ? {} : { replaces: replaced.proposal.ref }),
        }),
      ),
    )
  },
  expect: (expected, args) => expected.prepare(args),
  learn: (expected, args, outcome) => expected.prepared(args, outcome),
})

/** Everybody whose approval is asked for gives it. */
export const authorise = command({
  name: 'authorise',
  weight: 10,
  needsProposal: true,
  args: fc.record({ which }),
  async perform(world, { which: index }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    const asked = approversOf(world.profile, world.preparedFor(held.proposal.ref).amount.amount)
    const outcomes: string[] = []
    for (const person of asked) outcomes.push(await approve(world, held, person, held.proposal.commitment))
    return outcomes.at(-1) ?? 'nothing'
  },
  learn: (expected, { which: index }) => expected.authorised(index),
})

export const approveOne = command({
  name: 'approve',
  weight: 7,
  needsProposal: true,
  args: fc.record({ which, by: deciders, isOther: oneOf([false], [true]) }),
  async perform(world, { which: index, by, isOther }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    const commitment = isOther ? `c1_${'A'.repeat(43)}` : held.proposal.commitment
    return approve(world, held, by, commitment)
  },
  expect: (expected, args) => expected.approve(args),
  learn: (expected, args, outcome) => expected.approved(args, outcome),
})

const reject = command({
  name: 'reject',
  weight: 1,
  needsProposal: true,
  args: fc.record({ which, by: deciders }),
  async perform(world, { which: index, by }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    const { ref, commitment } = held.proposal
    return world.run('reject', async () => told(await world.runtime.reject(world.session(by), ref, { commitment })))
  },
  expect: (expected, args) => expected.reject(args),
  learn: (expected, args, outcome) => expected.rejected(args, outcome),
})

const revoke = command({
  name: 'revoke',
  weight: 4,
  needsProposal: true,
  args: fc.record({
    which,
    by: oneOf<Person>(['fiona', 'felix'], ['dora', 'otto', 'ruth', 'bot']),
    isOwn: oneOf([true], [false]),
  }),
  async perform(world, { which: index, by, isOwn }) {
    const held = world.held(index)
    const given = held?.approvals.findLast(
      ({ approver, decision }) => decision === 'approve' && (approver.id === by) === isOwn,
    )
    if (held === null || given === undefined) return 'nothing'
    return world.run('revoke', async () =>
      told(await world.runtime.revokeApproval(world.session(by), held.proposal.ref, given.approvalId)),
    )
  },
  expect: (expected, args) => expected.revoke(args),
  learn: (expected, args, outcome) => expected.revoked(args, outcome),
})

export const withdraw = command({
  name: 'withdraw',
  weight: 1,
  needsProposal: true,
  args: fc.record({ which, by: oneOf<Person>(['rita', 'oscar'], ['ruth', 'bot', 'fiona', 'sam']) }),
  async perform(world, { which: index, by }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    return world.run('withdraw', async () => told(await world.runtime.withdraw(world.session(by), held.proposal.ref)))
  },
  expect: (expected, args) => expected.withdraw(args),
  learn: (expected, args, outcome) => expected.withdrawn(args, outcome),
})

const directory = command({
  name: 'directory',
  weight: 3,
  needsProposal: false,
  args: fc.oneof(
    fc.record({ bars: fc.constantFrom<Person>('fiona', 'felix', 'dora') }),
    fc.record({ isDown: fc.boolean() }),
    fc.constant({ forgives: true }),
  ),
  async perform({ around }, args) {
    const { barred } = around.directory
    if ('bars' in args) barred.add(args.bars)
    else if ('isDown' in args) around.directory.isDown = args.isDown
    else barred.clear()
    return 'done'
  },
  learn: (expected, args) => expected.directory(args),
})

export const authorityCommands: readonly DrawnCommand[] = [
  prepare,
  authorise,
  approveOne,
  reject,
  revoke,
  withdraw,
  directory,
]

async function approve(world: World, { proposal }: Held, by: Person, commitment: string): Promise<string> {
  return world.run('approve', async () =>
    told(await world.runtime.approve(world.session(by), proposal.ref, { commitment, comment: 'looks right' })),
  )
}

function money(amount: number): { readonly amount: string; readonly currency: string } {
  return { amount: AMOUNTS[amount] ?? '', currency: 'EUR' }
}
