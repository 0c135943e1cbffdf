// Every refusal that the document names for an operation, brought about there: no code stands in it for nothing.
import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../src/http/endpoints.ts'
import { EVERYWHERE } from '../../src/http/refusals.ts'
import {
  PreparationRefused,
  PersistenceOutcomeUnknown,
  StoredDataCorrupt,
  StoreUnavailable,
} from '../../src/proposal/errors.ts'
import type { Session } from '../../src/proposal/session.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import type { Keyring, Store } from '../../src/runtime/ports.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { agent, finance1, finance2, operator, reader, requester, session, stranger } from '../runtime/sessions.ts'
import type { State } from '../runtime/states.ts'
import { targetIn } from './authority-matrix.ts'
import { examplesFor } from './every-endpoint.ts'
import {
  httpPermissions,
  type HttpWorld,
  type HttpWorldOptions,
  openHttp,
  type Received,
  type Sending,
} from './world.ts'

const examiner = session('user:ella', ['auditor', 'examiner'])
const feed = session('service:feed', ['auditor', 'feed'])
const privacy = session('user:petra', ['privacy-officer', 'auditor'])
const webhooks = session('service:webhooks', ['webhooks'])

/** Where each operation succeeds: the state of the proposal, and who asks. */
const good: Readonly<Record<string, { readonly state: State; readonly by: Session }>> = {
  listActions: { state: 'approved', by: requester },
  prepareProposal: { state: 'approved', by: requester },
  listProposals: { state: 'approved', by: requester },
  readProposal: { state: 'approved', by: requester },
  approveProposal: { state: 'awaiting_approval', by: finance2 },
  rejectProposal: { state: 'awaiting_approval', by: finance2 },
  revokeApproval: { state: 'approved', by: finance1 },
  withdrawProposal: { state: 'approved', by: requester },
  checkProposal: { state: 'approved', by: finance1 },
  executeProposal: { state: 'approved', by: requester },
  reconcileProposal: { state: 'failed_unknown', by: requester },
  resumeProposal: { state: 'verification_unresolved', by: operator },
  settleProposal: { state: 'verification_unresolved', by: operator },
  observeEffect: { state: 'failed_unknown', by: webhooks },
  eraseProposal: { state: 'withdrawn', by: privacy },
  listReceipts: { state: 'approved', by: requester },
  exportEvidence: { state: 'approved', by: examiner },
  listEvents: { state: 'approved', by: feed },
}

/** What is wrong: in the world before the request, in the request itself, or in who sends it. */
interface Recipe {
  readonly world?: Partial<HttpWorldOptions>
  readonly before?: (world: HttpWorld) => void
  readonly by?: Session
  readonly sending?: Sending
  /** In place of fields of the body. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly query?: string
  readonly path?: (path: string) => string
}

/** A switch that is thrown when everything is prepared. */
class Fault {
  isOn = false

  around(fails: (name: keyof Store) => boolean, error: () => Error, lands = false): Around {
    return async (name, call) => {
      if (!this.isOn || !fails(name)) return call()
      if (lands) await call()
      throw error()
    }
  }

  readonly on = (): void => {
    this.isOn = true
  }
}

function failing(fails: (name: keyof Store) => boolean, error: () => Error, lands = false): Recipe {
  const fault = new Fault()
  return { world: { around: fault.around(fails, error, lands) }, before: fault.on }
}

function withoutKeys(): Recipe {
  const fault = new Fault()
  const inner = ephemeralKeyring()
  const away = async (): Promise<never> => {
    throw new Error('the key service is away')
  }
  const keyring: Keyring = {
    current: async () => (fault.isOn ? away() : inner.current()),
    resolve: async (version) => (fault.isOn ? away() : inner.resolve(version)),
    referenceKey: async () => inner.referenceKey(),
  }
  return { world: { keyring }, before: fault.on }
}

function directoryAway(): Recipe {
  return {
    before({ action }) {
      action.methods.can = () => {
        throw new Error('the directory is away')
      }
    },
  }
}

const deep = { text: `${'['.repeat(80)}${']'.repeat(80)}` }
const prepared = (json: Readonly<Record<string, unknown>>): Recipe => ({ sending: { json } })
const command = { orderReference: 'ORD-1001', intent: 'broken vase', amount: { amount: '10.00', currency: 'EUR' } }

/** By code, how to bring it about anywhere. */
const anywhere: Readonly<Record<string, () => Recipe>> = {
  store_unavailable: () =>
    failing(
      () => true,
      () => new StoreUnavailable(),
    ),
  stored_data_corrupt: () => {
    return failing(
      (name) => ['proposal', 'effect', 'events', 'effectByIdempotencyKey'].includes(name),
      () => {
        return new StoredDataCorrupt('proposals/acme/1')
      },
    )
  },
  persistence_outcome_unknown: () => {
    return failing(
      (name) => name === 'commit',
      () => new PersistenceOutcomeUnknown(null),
      true,
    )
  },
  authorization_unavailable: directoryAway,
  not_found: () => ({ path: (path) => path.replace(/proposals\/[^/]+/, 'proposals/unknown') }),
  not_permitted: () => ({ by: reader }),
  revision_mismatch: () => ({ sending: { headers: { 'If-Match': '"99"' } } }),
  limit_exceeded: () => ({ sending: deep }),
  content_unavailable: withoutKeys,
  agent_cannot_decide: () => ({ by: agent }),
  separation_of_duties: () => ({ by: requester }),
  decision_not_permitted: () => ({ by: operator }),
  binding_mismatch: () => ({ fields: { commitment: 'c1_x' } }),
  action_not_registered: () => prepared({ action: 'example.payments/refund@9', command }),
  effect_reference_identifying: () => ({
    before({ action }) {
      const { prepare } = action.methods
      action.methods.prepare = async (input) => ({ ...(await prepare(input)), effectReference: 'refund-of-ORD-1001' })
    },
  }),
  invalid_command: () => prepared({ action: 'example.payments/refund@1', command: { ...command, amount: 10 } }),
  invalid_preparation: () => ({
    before({ action }) {
      const { prepare } = action.methods
      action.methods.prepare = async (input) => ({ ...(await prepare(input)), effectReference: '' })
    },
  }),
  preparation_failed: () => ({
    before({ action }) {
      action.methods.prepare = async () => {
        throw new Error('CANARY')
      }
    },
  }),
  preparation_refused: () => ({
    before({ action }) {
      action.methods.prepare = async () => {
        throw new PreparationRefused('order_closed')
      }
    },
  }),
  policy_unsatisfiable: () => {
    const policy = { require: [{ name: 'finance', count: 1, from: { principals: ['user:rita'] } }] }
    return { world: { contract: { policy } } }
  },
  erasure_held: () => ({ world: { methods: { isHeld: async () => true } } }),
}

/** Where an operation needs another way. */
const special: Readonly<Record<string, () => Recipe>> = {
  'prepareProposal not_found': () => {
    return prepared({ action: 'example.payments/refund@1', command, replaces: 'unknown' })
  },
  'observeEffect not_found': () => ({ fields: { idempotencyKey: 'ik_unknown' } }),
  'observeEffect not_permitted': () => ({ by: session('user:wanda', ['webhooks']) }),
  'observeEffect malformed_reference': () => ({ fields: { eventId: ' evt ' } }),
  'settleProposal malformed_reference': () => ({ fields: { evidenceReference: ' case ' } }),
  'listProposals malformed_reference': () => ({ query: 'cursor=made-up' }),
  'listEvents malformed_reference': () => ({ query: 'after=made-up' }),
  'listProposals limit_exceeded': () => ({ query: 'limit=201' }),
  'listEvents limit_exceeded': () => ({ query: 'limit=201' }),
  // Only what is to be sealed, or approved, needs the content's key.
  'rejectProposal content_unavailable': () => ({ ...withoutKeys(), fields: { comment: 'as agreed' } }),
  'eraseProposal not_permitted': () => ({ by: operator }),
  'exportEvidence not_permitted': () => ({ by: reader }),
  // Whoever erases need not be allowed to read; who may neither is told of nothing.
  'eraseProposal not_found': () => ({ by: stranger }),
  'listEvents stored_data_corrupt': () => {
    return failing(
      (name) => name === 'events',
      () => new StoredDataCorrupt('events/1'),
    )
  },
}

/** What another test brings about: for its form, before anything is looked up; or with two requests. */
const elsewhere = new Set([
  ...EVERYWHERE,
  'payload_too_large',
  'unsupported_media_type',
  'commitment_required',
  'request_key_reused',
  'effect_already_completed',
])

const rows = ENDPOINTS.flatMap(({ operationId, refusals, body }) => {
  const codes = new Set([...refusals, ...(body === null ? [] : ['limit_exceeded'])])
  return [...codes].filter((code) => !elsewhere.has(code)).map((code) => ({ operationId, code }))
})

describe('a refusal', () => {
  it.each(rows)('$code of $operationId', async ({ operationId, code }) => {
    const recipe = (special[`${operationId} ${code}`] ?? anywhere[code])?.()
    if (recipe === undefined) throw new Error('nobody knows how to bring it about')

    const { world, answer, changes } = await sent(operationId, recipe)

    expect([answer.status, answer.json['code']]).toEqual([answer.json['status'], code])
    expect(answer.text).not.toMatch(/CANARY|is away|ORD-1001|Carla/)
    // What was asked of the store and lost may be there; whatever else is refused has stored nothing.
    const stored = world.faults.changes.length - changes
    expect(code === 'persistence_outcome_unknown' ? 0 : stored).toBe(0)
    expect(world.action.business.booked).toEqual([])
  })
})

async function sent(
  operationId: string,
  recipe: Recipe,
): Promise<{ readonly world: HttpWorld; readonly answer: Received; readonly changes: number }> {
  const { state = 'approved', by = requester } = good[operationId] ?? {}
  const needsNoApproval = recipe.world?.contract !== undefined
  const world = await openHttp({ store: 'memory', verified: false, ...recipe.world })
  const example = needsNoApproval
    ? examplesFor('unknown').find(({ title }) => title === operationId)
    : (await targetIn(world, state, operationId)).example
  if (example === undefined) throw new Error(`there is no ${operationId}`)
  const changes = world.faults.changes.length
  recipe.before?.(world)
  const { path = (one: string) => one, query, fields, sending } = recipe
  const json = fields === undefined ? example.json : { ...(example.json as object), ...fields }
  const to = path(example.path) + (query === undefined ? '' : `?${query}`)
  const body = sending?.text === undefined && json !== undefined ? { json } : {}
  const answer = await world.send(recipe.by ?? by, example.method, to, { ...body, ...sending })
  return { world, answer, changes }
}

describe('an answer that was lost', () => {
  it('says what was seen of a call, as diagnosis', async () => {
    const { answer } = await sent(
      'executeProposal',
      failing(
        (name) => name === 'commit',
        () => new PersistenceOutcomeUnknown({ attempt: 1, ending: 'accepted' }),
      ),
    )

    expect(answer.json).toMatchObject({ code: 'persistence_outcome_unknown' })
    expect(answer.headers.get('Retry-After')).toBe('5')
  })
})

describe('the permissions of this table', () => {
  it('are those of the matrix', () => {
    expect(httpPermissions).toMatchObject({ observe: 'webhooks', evidence: 'examiner' })
  })
})
