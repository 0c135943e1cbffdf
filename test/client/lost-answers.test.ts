// A server that loses a request, its answer or half of it: every method says what became of it, and nothing happens twice.
import { describe, expect, it } from 'vitest'
import { AnswerLost, Unreachable } from '../../src/client.ts'
import { problemOf, problemResponse } from '../../src/http/wire/problem.ts'
import { NotSent } from '../../src/proposal/action.ts'
import { MINUTE_MS, refused } from '../runtime/harness.ts'
import { finance1, operator, privacy, requester } from '../runtime/sessions.ts'
import { examiner, webhooks } from '../runtime/operators.ts'
import type { Fault } from './faulty-proxy.ts'
import { openServed, type ServedWorld } from './served-world.ts'

const FAULTS: readonly Fault[] = ['before', 'after', 'within']

/** A call on a world, what it is answered where the request did not land and where it did, and its path. */
interface Row {
  readonly method: string
  readonly call: (world: ServedWorld) => Promise<{ readonly run: () => Promise<unknown> }>
  readonly unlanded: object
  readonly landed: object
}

const approvedOne = async (world: ServedWorld): Promise<string> => (await world.approvedProposal()).proposal

/** An effect for which a person is asked: its verifier finds it twice. */
async function unresolvedOne(world: ServedWorld): Promise<string> {
  const sound = world.action.methods.verify
  world.action.methods.verify = async (input) => {
    const answer = await sound(input)
    return answer.status === 'verified_completion' ? { ...answer, matches: 2 } : answer
  }
  const proposal = await approvedOne(world)
  await world.runtime.execute(requester, proposal)
  await world.clock.advance(MINUTE_MS)
  await world.runtime.reconcile(requester, proposal)
  return proposal
}

const ROWS: readonly Row[] = [
  {
    method: 'prepare',
    call: async (world) => ({ run: () => world.client(requester).prepare(world.input()) }),
    unlanded: { outcome: 'prepared', revision: 0 },
    landed: { outcome: 'replayed', revision: 0 },
  },
  {
    method: 'approve',
    call: async (world) => {
      const { proposal, commitment } = await world.prepared()
      return { run: () => world.client(finance1).approve(proposal, { commitment, comment: 'as agreed' }) }
    },
    unlanded: { outcome: 'approved', revision: 1 },
    landed: { outcome: 'replayed', revision: 1 },
  },
  {
    method: 'reject',
    call: async (world) => {
      const { proposal, commitment } = await world.prepared()
      return { run: () => world.client(finance1).reject(proposal, { commitment }) }
    },
    unlanded: { outcome: 'rejected', revision: 1 },
    landed: { outcome: 'rejected', revision: 1 },
  },
  {
    method: 'revokeApproval',
    call: async (world) => {
      const proposal = await approvedOne(world)
      const approvalId = (await world.stored(proposal)).approvals[0]?.approvalId ?? ''
      return { run: () => world.client(finance1).revokeApproval(proposal, approvalId) }
    },
    unlanded: { outcome: 'revoked', revision: 2 },
    landed: { outcome: 'replayed', revision: 2 },
  },
  {
    method: 'withdraw',
    call: async (world) => {
      const { proposal } = await world.prepared()
      return { run: () => world.client(requester).withdraw(proposal, { reason: 'not_needed' }) }
    },
    unlanded: { outcome: 'withdrawn', revision: 1 },
    landed: { outcome: 'withdrawn', revision: 1 },
  },
  {
    method: 'check',
    call: async (world) => {
      const { proposal } = await world.prepared()
      return { run: () => world.client(finance1).check(proposal) }
    },
    unlanded: { outcome: 'checked', drifted: false },
    landed: { outcome: 'checked', drifted: false },
  },
  {
    method: 'reconcile',
    call: async (world) => {
      const proposal = await approvedOne(world)
      await world.runtime.execute(requester, proposal)
      await world.clock.advance(MINUTE_MS)
      return { run: () => world.client(requester).reconcile(proposal) }
    },
    unlanded: { outcome: 'verified' },
    landed: { outcome: 'verified' },
  },
  {
    method: 'resume',
    call: async (world) => {
      const proposal = await unresolvedOne(world)
      return { run: () => world.client(operator).resume(proposal, { reason: 'looked_into' }) }
    },
    unlanded: { outcome: 'resumed', status: 'verification_pending' },
    landed: { outcome: 'verification_pending', status: 'verification_pending' },
  },
  {
    method: 'settle',
    call: async (world) => {
      const proposal = await unresolvedOne(world)
      const verdict = { verdict: 'occurred', reason: 'statement', evidenceReference: 'statement-1' } as const
      return { run: () => world.client(operator).settle(proposal, verdict) }
    },
    unlanded: { outcome: 'settled', status: 'verified' },
    landed: { outcome: 'replayed', status: 'verified' },
  },
  {
    method: 'observe',
    call: async (world) => {
      const proposal = await approvedOne(world)
      await world.runtime.execute(requester, proposal)
      const effect = await world.store.effect((await world.stored(proposal)).proposal.effect)
      const idempotencyKey = effect?.attempts[0]?.idempotencyKey ?? ''
      return { run: () => world.client(webhooks).observe({ idempotencyKey, eventId: 'event-1' }) }
    },
    unlanded: { outcome: 'observed' },
    landed: { outcome: 'replayed' },
  },
  {
    method: 'erase',
    call: async (world) => {
      const { proposal } = await world.prepared()
      return { run: () => world.client(privacy).erase(proposal, { reason: 'subject_request' }) }
    },
    unlanded: { outcome: 'erased', backups: 'not_covered' },
    landed: { outcome: 'erased', backups: 'not_covered' },
  },
  {
    method: 'read',
    call: async (world) => {
      const { proposal } = await world.prepared()
      return { run: () => world.client(finance1).read(proposal) }
    },
    unlanded: { kind: 'proposal', status: 'awaiting_approval' },
    landed: { kind: 'proposal', status: 'awaiting_approval' },
  },
  {
    method: 'list',
    call: async (world) => {
      const { proposal } = await world.prepared()
      return {
        run: async () =>
          (await world.client(finance1).list({ statuses: ['awaiting_approval'] })).items.map(
            ({ proposal: ref }) => ref === proposal,
          ),
      }
    },
    unlanded: [true],
    landed: [true],
  },
  {
    method: 'receipts',
    call: async (world) => {
      const { proposal } = await world.prepared()
      return { run: () => world.client(finance1).receipts(proposal) }
    },
    unlanded: { check: { intact: true, consistent: true } },
    landed: { check: { intact: true, consistent: true } },
  },
  {
    method: 'exportEvidence',
    call: async (world) => {
      const { proposal } = await world.prepared()
      return { run: () => world.client(examiner).exportEvidence(proposal) }
    },
    unlanded: { format: 'countersign/evidence/v1', revision: 0 },
    landed: { format: 'countersign/evidence/v1', revision: 0 },
  },
  {
    method: 'events',
    call: async (world) => {
      await world.prepared()
      return { run: () => world.client(operator).events({ limit: 1 }) }
    },
    unlanded: { items: [{ type: 'proposal.prepared' }], more: true },
    landed: { items: [{ type: 'proposal.prepared' }], more: true },
  },
  {
    method: 'actions',
    call: async (world) => ({ run: () => world.client(requester).actions() }),
    unlanded: [{ action: 'example.payments/refund@1' }],
    landed: [{ action: 'example.payments/refund@1' }],
  },
]

describe.each(ROWS)('case C043 $method', ({ call, unlanded, landed }) => {
  it('answers what the server says', async () => {
    const world = await openServed()
    const { run } = await call(world)

    expect(await run()).toMatchObject(unlanded)
    expect(world.proxy.seen).toHaveLength(1)
  })

  it.each(FAULTS)(
    'is repeated once when the connection is cut %s the answer, and nothing happens twice',
    async (fault) => {
      const world = await openServed()
      const { run } = await call(world)
      world.proxy.faults.push(fault)

      const answer = await run()

      expect(answer).toMatchObject(fault === 'before' ? unlanded : landed)
      expect(world.proxy.seen).toHaveLength(2)
      expect(new Set(world.proxy.seen).size).toBe(1)
      expect(world.waits).toEqual([200])
    },
  )

  it('gives up after three repetitions, and says whether anything may have been done', async () => {
    const world = await openServed()
    const { run } = await call(world)
    world.proxy.faults.push('before', 'before', 'before', 'before')

    const error = await refused(run())

    const isRead = world.proxy.seen[0]?.startsWith('GET') === true
    expect(error).toBeInstanceOf(isRead ? Unreachable : AnswerLost)
    expect(world.proxy.seen).toHaveLength(4)
    expect(world.waits).toEqual([200, 400, 800])
  })
})

describe('execute', () => {
  it.each(['after', 'within'] as const)(
    'is looked into when its answer is cut %s: one call, and its outcome',
    async (fault) => {
      const world = await openServed()
      const proposal = await approvedOne(world)
      world.proxy.faults.push(fault)

      const result = await world.client(requester).execute(proposal)

      expect(result).toMatchObject({ outcome: 'verification_pending', evidence: { status: 'UNKNOWN', attempts: 1 } })
      expect(world.proxy.seen).toEqual([`POST /v1/proposals/${proposal}/execute`, `GET /v1/proposals/${proposal}`])
      expect(world.action.calls.execute).toBe(1)
    },
  )

  it('case C004 answers in_progress while the call goes on behind a lost connection', async () => {
    const world = await openServed()
    const proposal = await approvedOne(world)
    const sound = world.action.methods.execute
    let finish = (): void => {}
    world.action.methods.execute = async (input) => {
      world.proxy.cut()
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return sound(input)
    }

    const result = await world.client(requester).execute(proposal)
    finish()

    expect(result).toMatchObject({ outcome: 'in_progress', status: 'executing', nextStep: 'wait' })
    expect(world.action.calls.execute).toBe(1)
  })

  it('is not repeated by itself when it may not have arrived: the proposal as it is comes with the error', async () => {
    const world = await openServed()
    const proposal = await approvedOne(world)
    world.proxy.faults.push('before')

    const error = await refused(world.client(requester).execute(proposal))

    expect(error).toBeInstanceOf(AnswerLost)
    expect(error).toMatchObject({ code: 'answer_lost', latest: { proposal, status: 'approved' } })
    expect(world.action.calls.execute).toBe(0)
    expect(world.proxy.seen).toHaveLength(2)
  })

  it('is sent again under the same condition where a revision was given and still stands', async () => {
    const world = await openServed()
    const { proposal, revision } = await world.approvedProposal()
    world.proxy.faults.push('before')

    const result = await world.client(requester).execute(proposal, { ifRevision: revision })

    expect(result.outcome).toBe('verification_pending')
    expect(world.action.calls.execute).toBe(1)
  })

  it('tells what became of it where the request that was taken for lost comes through before its repetition', async () => {
    const world = await openServed()
    const { proposal, revision } = await world.approvedProposal()
    const late: Request[] = []
    const fetchLate = async (request: Request): Promise<Response> => {
      if (!request.url.endsWith('/execute')) return fetch(request)
      const first = late.shift()
      if (first === undefined) {
        late.push(request)
        throw new TypeError('no answer came')
      }
      await fetch(first)
      return fetch(request)
    }

    const result = await world.client(requester, { fetch: fetchLate }).execute(proposal, { ifRevision: revision })

    expect(result).toMatchObject({ outcome: 'verification_pending', status: 'verification_pending' })
    expect(world.action.calls.execute).toBe(1)
  })

  it('is not sent again once the revision has moved, though the proposal is open again', async () => {
    const world = await openServed()
    const { proposal, revision } = await world.approvedProposal()
    world.action.methods.execute = async () => {
      throw new NotSent('no connection')
    }
    world.proxy.faults.push('after')

    const error = await refused(world.client(requester).execute(proposal, { ifRevision: revision }))

    expect(error).toMatchObject({ code: 'answer_lost', latest: { status: 'approved' } })
    expect(world.action.calls.execute).toBe(1)
  })

  it('says nothing but that the answer is lost where the proposal cannot be read either', async () => {
    const world = await openServed()
    const proposal = await approvedOne(world)
    world.proxy.faults.push('after', 'before', 'before', 'before', 'before')

    const error = await refused(world.client(requester).execute(proposal))

    expect(error).toMatchObject({ code: 'answer_lost', latest: null })
    expect(world.action.calls.execute).toBe(1)
  })

  it('looks too when the server met a fault of its own', async () => {
    const world = await openServed()
    const proposal = await approvedOne(world)
    const fetch = async (request: Request): Promise<Response> => {
      const answer = await world.app.fetch(request)
      return request.method === 'POST' ? problemResponse(problemOf(new Error('unforeseen'), 'r-1')) : answer
    }

    const result = await world.client(requester, { fetch }).execute(proposal)

    expect(result.outcome).toBe('verification_pending')
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('what a lost answer leaves open', () => {
  it('a preparation tells its key, under which it is found again', async () => {
    const world = await openServed()
    const input = world.input()
    world.proxy.faults.push('after', 'before', 'before', 'before')
    const client = world.client(requester)

    const error = await refused(client.prepare(input))
    const { requestKey } = error
    const found = await client.prepare({ ...input, requestKey: String(requestKey) })

    expect(error).toBeInstanceOf(AnswerLost)
    expect(found.outcome).toBe('replayed')
    expect((await client.list()).items).toHaveLength(1)
  })

  it('a decision under a precondition that its own first request made false is not taken for refused', async () => {
    const world = await openServed()
    const { proposal, commitment } = await world.prepared()
    world.proxy.faults.push('after')

    const error = await refused(world.client(finance1).approve(proposal, { commitment, ifRevision: 0 }))

    expect(error).toMatchObject({ code: 'answer_lost', cause: { code: 'revision_mismatch', revision: 1 } })
    expect((await world.stored(proposal)).approvals).toHaveLength(1)
  })
})
