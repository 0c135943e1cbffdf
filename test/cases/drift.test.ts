// Cases D: approvals of what is no longer so. What was declared decides, no more and no less, and it is said what differed.
import { describe, expect, it } from 'vitest'
import { PreparationRefused } from '../../src/proposal/errors.ts'
import { drift } from '../../src/proposal/content/drift.ts'
import { money } from '../../src/proposal/money.ts'
import type { Status } from '../../src/proposal/status.ts'
import { answering, type ExecutionWorld, openExecution, says } from '../runtime/execution-world.ts'
import { answerOf, refused, unsound } from '../runtime/harness.ts'
import { type Methods, refund } from '../runtime/refund.ts'
import { agent, finance1, finance2, requester, session } from '../runtime/sessions.ts'
import { lookWhenDue } from './steps.ts'

const finance = { name: 'finance', count: 1, from: { role: 'finance-manager' } }
const eur = (amount: string): { readonly amount: string; readonly currency: string } => ({ amount, currency: 'EUR' })

/** Where a proposal stands after it was executed, and which fields made it stale. */
async function executed(world: ExecutionWorld, ref: string): Promise<readonly [Status, readonly string[]]> {
  const { status } = await world.execute(ref)
  const view = await world.runtime.read(finance1, ref)
  return [status, view.kind === 'proposal' ? view.driftPaths : []]
}

describe('case C045: one approval, then plan and apply anything else', () => {
  it('case C045 an approval is good for one proposal, and an execution carries no content of its own', async () => {
    const world = await openExecution({ store: 'memory' })
    const restart = await world.approved('restart the cache')
    const { proposal: drop } = await world.prepared(
      agent,
      world.input({ intent: 'drop the database', orderReference: 'DB-1' }),
    )

    expect(await answerOf(world.execute(drop))).toBe('approval_pending')
    await world.runtime.execute(requester, restart, unsound({ command: { orderReference: 'DB-1' }, proposal: drop }))

    expect(world.log.executed.map(({ input }) => input.snapshot.orderReference)).toEqual(['ORD-1001'])
  })
})

describe('case C049: carrying out the first approved change makes the other approved ones stale', () => {
  it('case C049 a snapshot of the facts alone lets the second go ahead', async () => {
    const world = await openExecution({ store: 'memory', contract: { immaterial: ['/orderVersion'] } })
    const [note, pay] = [await world.approved('set a note'), await world.approved('pay')]
    await world.execute(note)
    world.action.business.orderVersion += 1

    expect(await executed(world, pay)).toEqual(['verification_pending', []])
  })

  it('case C049 one with the version of the row refuses it, names the field, and asks for a new approval', async () => {
    const world = await openExecution({ store: 'memory' })
    const [note, pay] = [await world.approved('set a note'), await world.approved('pay')]
    await world.execute(note)
    world.action.business.orderVersion += 1

    expect(await executed(world, pay)).toEqual(['stale', ['/orderVersion']])
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('case C050: approvals of the old content are counted for the new content', () => {
  const contract = { policy: { require: [{ ...finance, count: 2 }] } }

  it.each([
    ['another amount', '11.00'],
    ['the very same content', '10.00'],
  ])('case C050 amended to %s, the count begins anew', async (_, amount) => {
    const world = await openExecution({ store: 'memory', contract })
    const first = await world.prepared(requester, world.input({ intent: 'refund' }))
    await world.runtime.approve(finance1, first.proposal, { commitment: first.commitment })

    const input = { ...world.input({ intent: 'refund', amount: eur(amount) }), replaces: first.proposal }
    const second = await world.prepared(requester, input)
    const approved = await world.runtime.approve(finance2, second.proposal, { commitment: second.commitment })

    expect(second.commitment).not.toBe(first.commitment)
    expect(approved.outcome).toBe('approval_pending')
    expect(await answerOf(world.execute(second.proposal))).toBe('approval_pending')
    expect(await answerOf(world.runtime.approve(finance1, second.proposal, { commitment: first.commitment }))).toBe(
      'binding_mismatch',
    )
    expect(world.action.calls.execute).toBe(0)
  })
})

describe('case C053: refund asked for again while the first is only pending', () => {
  it('case C053 who approves the second is shown that the first is open on the same order', async () => {
    const world = await openExecution({ store: 'memory' })
    const first = await world.approved('damaged')
    await world.execute(first)

    const { proposal } = await world.prepared(requester, world.input({ intent: 'damaged, once more' }))

    expect(await world.runtime.read(finance1, proposal)).toMatchObject({
      related: [{ proposal: first, status: 'verification_pending' }],
    })
  })

  it('case C053 an action that reads what is pending refuses the second', async () => {
    const world = await openExecution({ store: 'memory' })
    const { prepare } = world.action.methods
    world.action.methods.prepare = async (input) => {
      if (world.action.business.booked.length > 0) throw new PreparationRefused('exceeds_what_is_left')
      return prepare(input)
    }
    await world.execute(await world.approved('damaged'))

    const error = await refused(world.prepared(requester, world.input({ intent: 'damaged, once more' })))

    expect([error['code'], error['reason']]).toEqual(['preparation_refused', 'exceeds_what_is_left'])
  })
})

describe('case C056: expense edited after approval', () => {
  const contract = { immaterial: ['/memo', '/orderVersion'] }

  it.each<[string, string, Status, readonly string[]]>([
    ['the description', 'memo', 'verification_pending', []],
    ['the payee', 'customer', 'stale', ['/customer']],
    ['what was paid before', 'refunded', 'stale', ['/refunded/amount']],
  ])('case C056 a change of %s is drift only if it is declared to matter', async (_, field, status, paths) => {
    const world = await openExecution({ store: 'memory', contract })
    const ref = await world.approved('expense', { memo: 'train' })
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => {
      const resolved = await resolve(input)
      const edited = { ...resolved.current, [field]: field === 'refunded' ? eur('21.00') : 'edited' }
      return { ...resolved, current: unsound(edited) }
    }

    expect(await executed(world, ref)).toEqual([status, paths])
  })

  it('case C056 an approval can be taken back before it is used, and that is on record', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('expense')
    const [approval] = (await world.stored(ref)).approvals

    await world.runtime.revokeApproval(finance1, ref, approval?.approvalId ?? '')

    expect(await answerOf(world.execute(ref))).toBe('approval_pending')
    expect(await world.receipts(ref)).toContain('approval.revoked')
  })
})

describe('case C060: "full refund" computed at the time of sending', () => {
  /** An action that turns "the rest" into a number when it is proposed. */
  async function openRest(): Promise<ExecutionWorld> {
    const world = await openExecution({ store: 'memory' })
    const { prepare, execute } = world.action.methods
    const rest = (): string => `${100 - Number(world.action.business.refunded.amount)}.00`
    world.action.methods.prepare = async (input) => {
      const prepared = await prepare(input)
      return { ...prepared, snapshot: { ...prepared.snapshot, amount: eur(rest()) } }
    }
    world.action.methods.execute = async (input) => {
      const answer = await execute(input)
      world.action.business.refunded = eur('100.00')
      world.action.business.orderVersion += 1
      return answer
    }
    return world
  }

  it('case C060 the number is shown, and another rest is drift, not another amount', async () => {
    const world = await openRest()
    const ref = await world.approved('the rest')
    expect(await world.runtime.read(finance1, ref)).toMatchObject({ preview: { amount: eur('80.00') } })
    world.action.business.refunded = eur('60.00')
    world.action.business.orderVersion += 1

    expect(await executed(world, ref)).toEqual(['stale', ['/orderVersion', '/refunded/amount']])
    expect(world.action.calls.execute).toBe(0)
  })

  it('case C060 of two rests that were approved one is paid', async () => {
    const world = await openRest()
    const refs = [await world.approved('the rest'), await world.approved('all of it')]

    const statuses = [await executed(world, refs[0] ?? ''), await executed(world, refs[1] ?? '')]

    expect(statuses.map(([status]) => status)).toEqual(['verification_pending', 'stale'])
    expect(world.log.executed.map(({ input }) => input.precondition)).toEqual(['order-version:7'])
    expect(world.action.business.booked).toHaveLength(1)
  })
})

describe('case C062: charge is disputed between approval and refund', () => {
  const disputed: (methods: Methods) => Methods['resolve'] = ({ resolve }) => {
    return async (input) => {
      const resolved = await resolve(input)
      return { ...resolved, current: unsound({ ...resolved.current, memo: 'dispute: open' }) }
    }
  }

  it.each<[string, object, Status, readonly string[]]>([
    ['an action that reads disputes refuses', {}, 'stale', ['/memo']],
    ['an action that does not pays a second time', { immaterial: ['/memo'] }, 'verification_pending', []],
  ])('case C062 %s', async (_, contract, status, paths) => {
    const world = await openExecution({ store: 'memory', contract: { ...contract } })
    const ref = await world.approved('refund', { memo: 'dispute: none' })
    world.action.methods.resolve = disputed(world.action.methods)

    expect(await executed(world, ref)).toEqual([status, paths])
  })

  it('case C062 a dispute after the refund changes nothing about what was done', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund', { memo: 'dispute: none' })
    await world.execute(ref)
    await lookWhenDue(world, ref)
    world.action.methods.resolve = disputed(world.action.methods)

    expect(await answerOf(world.execute(ref))).toBe('verified')
    expect(await answerOf(world.reconcile(ref))).toBe('verified')
  })
})

describe('case C064: the approving answer may overwrite the arguments', () => {
  it('case C064 a decision has no content: what was approved is what is sent', async () => {
    const world = await openExecution({ store: 'memory' })
    const { proposal, commitment } = await world.prepared(requester, world.input({ orderReference: 'alice' }))

    const edited = { commitment, orderReference: 'eve', edit: { orderReference: 'eve' }, amount: eur('99.00') }
    await world.runtime.approve(finance1, proposal, unsound(edited))
    await world.runtime.execute(requester, proposal, unsound(edited))

    expect(world.log.executed.map(({ input }) => input.snapshot)).toMatchObject([
      { orderReference: 'alice', amount: eur('10.00') },
    ])
  })

  it('case C064 who edits is a maker: editing and approving takes two people', async () => {
    const world = await openExecution({ store: 'memory' })
    const editor = session('user:edda', ['support', 'finance-manager', 'operator'])
    const first = await world.prepared(requester, world.input({ intent: 'mail' }))

    const input = { ...world.input({ intent: 'mail', orderReference: 'bob' }), replaces: first.proposal }
    const { proposal, commitment } = await world.prepared(editor, input)

    expect(await answerOf(world.runtime.approve(editor, proposal, { commitment }))).toBe('separation_of_duties')
    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('approved')
  })
})

describe('case C067: values known only after the act', () => {
  const schemas = {
    ...refund.schemas,
    snapshot: refund.schemas.snapshot.extend({ feeAtMost: money() }),
    preview: refund.schemas.preview.extend({ feeAtMost: money() }),
  }
  const bounded = { schemas, facts: ['/orderReference', '/amount', '/feeAtMost'] }

  /** An action that says what it does not know yet, and how much it may be. */
  async function openBounded(taken: string): Promise<ExecutionWorld> {
    const world = await openExecution({
      store: 'memory',
      contract: bounded,
      methods: {
        compareFacts: (approved, found) =>
          JSON.stringify(approved['/amount']) === JSON.stringify(found['/amount']) &&
          Number(feeOf(found)) <= Number(feeOf(approved)),
      },
    })
    const { prepare, preview } = world.action.methods
    world.action.methods.prepare = async (input) => {
      const prepared = await prepare(input)
      return { ...prepared, snapshot: unsound({ ...prepared.snapshot, feeAtMost: eur('15.00') }) }
    }
    world.action.methods.preview = (snapshot) => unsound({ ...preview(snapshot), feeAtMost: eur('15.00') })
    world.action.methods.verify = answering((input) =>
      unsound({
        ...says.done(input),
        facts: { '/orderReference': 'ORD-1001', '/amount': eur('10.00'), '/feeAtMost': eur(taken) },
      }),
    )
    return world
  }
  const feeOf = (facts: object): string =>
    (facts as Record<string, { readonly amount: string }>)['/feeAtMost']?.amount ?? ''

  it.each<[string, Status]>([
    ['15.00', 'verified'],
    ['40.00', 'verification_unresolved'],
  ])('case C067 a fee of at most 15.00 is shown, and %s taken is %s', async (taken, status) => {
    const world = await openBounded(taken)
    const ref = await world.approved('transfer')

    expect(await world.runtime.read(finance1, ref)).toMatchObject({ preview: { feeAtMost: eur('15.00') } })
    await world.execute(ref)
    expect((await lookWhenDue(world, ref)).status).toBe(status)
  })
})

describe('case C068: same facts, other order, case or blanks', () => {
  const before = { approvers: ['b', 'a'], priority: [1, 2], email: 'A@B.de', iban: 'DE89 3704', note: null }

  it.each<[string, object, readonly string[]]>([
    ['a permutation of a set', { approvers: ['a', 'b'] }, []],
    ['a second copy in a set', { approvers: ['a', 'b', 'b'] }, ['/approvers']],
    ['another order of a list', { priority: [2, 1] }, ['/priority/0', '/priority/1']],
    ['another case', { email: 'a@b.de' }, ['/email']],
    ['no blanks', { iban: 'DE893704' }, ['/iban']],
    ['nothing in the place of null', { note: undefined }, ['/note']],
  ])('case C068 %s', (_, change, paths) => {
    const { note, ...rest } = { ...before, ...change }
    const after = note === undefined ? rest : { ...rest, note }

    const moved = drift(before, after, { immaterial: [], sets: ['/approvers'] })

    expect(moved.map(({ path }) => path)).toEqual(paths)
  })

  it('case C068 what moved is told as it is written', () => {
    expect(drift({ email: 'A@B.de' }, { email: 'a@b.de' }, { immaterial: [], sets: [] })).toEqual([
      { path: '/email', before: 'A@B.de', after: 'a@b.de' },
    ])
  })
})
