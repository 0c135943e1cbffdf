// What an action has of itself: rights by role, refused by default, and the two errors by which an executor proves something.
import { describe, expect, it } from 'vitest'
import { type Caller, DefinitiveFailure, NotSent } from '../../src/proposal/action.ts'
import { type Act, ACTS } from '../../src/proposal/contract.ts'
import { reference, RefundAction } from './refund.ts'

const nothing = { proposal: null, command: null, snapshot: null }

describe('can()', () => {
  const allowed = (roles: readonly string[]): readonly Act[] => {
    const caller: Caller = {
      tenant: reference('acme'),
      principal: { kind: 'user', id: reference('ann') },
      owner: null,
      roles,
      assurance: [],
    }
    const action = new RefundAction()
    return ACTS.filter((act) => action.can(act, caller, nothing) === true)
  }

  it.each<[string, readonly string[], readonly Act[]]>([
    ['one role of an act', ['support'], ['prepare', 'read']],
    ['another role of it', ['finance-manager'], ['decide', 'read']],
    ['both', ['finance-manager', 'support'], ['prepare', 'decide', 'read']],
    ['no role', [], []],
    ['another role', ['admin'], []],
    ['a role in another case', ['Support'], []],
    ['a part of a role', ['supp', 'finance'], []],
  ])('of a caller with %s', (_title, roles, acts) => {
    expect(allowed(roles)).toEqual(acts)
  })
})

describe('what an executor may throw', () => {
  it.each([
    ['DefinitiveFailure', DefinitiveFailure, 'The effect did not happen.'],
    ['NotSent', NotSent, 'Nothing was sent.'],
  ] as const)('%s carries its reason and the cause', (name, Failure, message) => {
    const cause = new Error('refused')
    const failure = new Failure('limit_reached', { cause })

    expect(failure).toBeInstanceOf(Error)
    expect(failure).toMatchObject({ name, message, reason: 'limit_reached', cause })
  })

  it('is retryable only where that is said exactly', () => {
    expect(new DefinitiveFailure('busy').retryable).toBe(false)
    expect(new DefinitiveFailure('busy', { retryable: true }).retryable).toBe(true)
    expect(new DefinitiveFailure('busy', Object.fromEntries([['retryable', 'yes']])).retryable).toBe(false)
  })
})
