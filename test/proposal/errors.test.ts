// Refusals: one class for every code of the table, with a message that is safe to show, and data that a handler needs.
import { describe, expect, it } from 'vitest'
import { type RefusalCode, REFUSALS } from '../../src/proposal/codes.ts'
import {
  ActionNotRegistered,
  type AnyRefusal,
  AuthorizationUnavailable,
  BindingMismatch,
  ContentUnavailable,
  DecisionRefused,
  DefinitionError,
  EffectAlreadyCompleted,
  EffectKindConflict,
  EffectReferenceIdentifying,
  ErasureHeld,
  InvalidCommand,
  InvalidPreparation,
  LimitExceeded,
  MalformedReference,
  NotFound,
  NotPermitted,
  PersistenceOutcomeUnknown,
  PolicyUnsatisfiable,
  PreparationFailed,
  PreparationRefused,
  ReferenceKeyChanged,
  Refusal,
  RequestKeyReused,
  RevisionMismatch,
  StoredDataCorrupt,
  StoreUnavailable,
} from '../../src/proposal/errors.ts'

const problems = [{ path: '/amount', rule: 'invalid_type', message: 'is of another type' }]

/** One of every class, and of every code; the compiler finds a code that is missing. */
const refusals: Readonly<Record<RefusalCode, AnyRefusal>> = {
  not_found: new NotFound(),
  agent_cannot_decide: new DecisionRefused('agent_cannot_decide'),
  separation_of_duties: new DecisionRefused('separation_of_duties'),
  decision_not_permitted: new DecisionRefused('decision_not_permitted'),
  not_permitted: new NotPermitted(),
  binding_mismatch: new BindingMismatch('approved'),
  request_key_reused: new RequestKeyReused(),
  malformed_reference: new MalformedReference('/subject'),
  invalid_command: new InvalidCommand(problems),
  invalid_preparation: new InvalidPreparation(problems),
  preparation_refused: new PreparationRefused('order_closed'),
  preparation_failed: new PreparationFailed({ cause: new Error('host') }),
  policy_unsatisfiable: new PolicyUnsatisfiable(['finance']),
  effect_reference_identifying: new EffectReferenceIdentifying(),
  effect_already_completed: new EffectAlreadyCompleted(),
  action_not_registered: new ActionNotRegistered(),
  effect_kind_conflict: new EffectKindConflict(),
  limit_exceeded: new LimitExceeded('pageItems'),
  erasure_held: new ErasureHeld(),
  revision_mismatch: new RevisionMismatch(7),
  content_unavailable: new ContentUnavailable('denied', { cause: new Error('host') }),
  authorization_unavailable: new AuthorizationUnavailable({ cause: new Error('host') }),
  store_unavailable: new StoreUnavailable(),
  persistence_outcome_unknown: new PersistenceOutcomeUnknown({ attempt: 1, ending: 'accepted' }),
  stored_data_corrupt: new StoredDataCorrupt('receipts/acme/p-1/3'),
}

describe('a refusal', () => {
  it.each(Object.entries(refusals))('%s has its code, the name of its class and a message', (code, refusal) => {
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toBeInstanceOf(Error)
    expect(refusal.code).toBe(code)
    expect(refusal.name).toBe(refusal.constructor.name)
    expect(refusal.message).toMatch(/^[A-Z].*(?:\.|:(?:\n {2}\/.*)+)$/)
  })

  it('says what its code says, unless it can say more', () => {
    const own = Object.entries(refusals).filter(
      ([code, { message }]) => message !== REFUSALS[code as RefusalCode].title,
    )

    expect(own.map(([, { message }]) => message)).toEqual([
      'The value at /subject is not of the allowed form.',
      'The command does not fit the action’s schema:\n  /amount: is of another type',
      'The action prepared something that its own definition does not allow:\n  /amount: is of another type',
      'The limit pageItems was exceeded.',
      'The stored row receipts/acme/p-1/3 cannot be read.',
    ])
    expect(new StoreUnavailable('The disk is full.').message).toBe('The disk is full.')
  })

  it('carries what a handler needs, and its cause where there is one', () => {
    expect(refusals.binding_mismatch).toHaveProperty('status', 'approved')
    expect(refusals.invalid_command).toHaveProperty('problems', problems)
    expect(refusals.policy_unsatisfiable).toHaveProperty('requirements', ['finance'])
    expect(refusals.revision_mismatch).toHaveProperty('revision', 7)
    expect(refusals.persistence_outcome_unknown).toHaveProperty('observed', { attempt: 1, ending: 'accepted' })
    for (const code of ['preparation_failed', 'content_unavailable', 'authorization_unavailable'] as const) {
      expect(refusals[code].cause).toEqual(new Error('host'))
    }
  })

  it('names the act that the caller has no right to', () => {
    expect(refusals.not_permitted).toMatchObject({ act: null, message: 'The caller has no right to do this.' })
    expect(new NotPermitted('check')).toMatchObject({ act: 'check', message: 'The caller has no right to "check".' })
  })

  it('of an action gives a code for its reason, never words', () => {
    expect(new PreparationRefused('order_closed').reason).toBe('order_closed')
    expect(() => new PreparationRefused('The customer owes 5')).toThrow('not_a_reason_code')
  })
})

describe('misuse', () => {
  it('is a TypeError: a definition that cannot be safe, with everything that is wrong with it', () => {
    const error = new DefinitionError('example.payments/refund@1', problems)

    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ name: 'DefinitionError', code: 'definition_error', problems })
    expect(error.message).toBe('example.payments/refund@1 cannot be registered:\n  /amount: is of another type')
  })

  it('is a TypeError: a store opened with another reference key', () => {
    const error = new ReferenceKeyChanged()

    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ name: 'ReferenceKeyChanged', code: 'reference_key_changed' })
  })
})

it('a refusal that lists no problem is its sentence alone', () => {
  expect(new InvalidCommand([]).message).toMatch(/\.$/)
})
