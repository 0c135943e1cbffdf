// What is done on a page: each act as an operation of the runtime, with the fields that its form has.
import type { Session } from '../../proposal/session.ts'
import type { ReceiptType } from '../../proposal/receipts/receipt.ts'
import type { ProposalRuntime } from '../../runtime/runtime.ts'
import type { CheckResult } from '../../runtime/check.ts'
import type { SettleInput } from '../../runtime/operate/operate.ts'
import { InvalidRequest } from '../wire/http-refusals.ts'
import type { Said } from './words/said-words.ts'

/** What an act is given: the fields of its form, at the revision that was seen. */
export interface Acting {
  readonly runtime: ProposalRuntime
  readonly session: Session
  readonly ref: string
  readonly ifRevision: number
  readonly field: (name: string) => string
  readonly param: (name: string) => string
}

/** One act. */
export interface InboxAct {
  /** Below the path of a proposal. */
  readonly path: string
  /** The fields of its form, beside the token and the revision. */
  readonly fields: readonly string[]
  /** The receipt that it leaves, by which its repeat is known. */
  readonly receipt: ReceiptType | null
  run(acting: Acting): Promise<Said>
}

/** Every act, in the order of the page. */
export const INBOX_ACTS: readonly InboxAct[] = [
  {
    path: 'approve',
    fields: ['commitment', 'comment'],
    receipt: 'approval.approved',
    run: async (acting) => (await acting.runtime.approve(acting.session, acting.ref, decisionOf(acting))).outcome,
  },
  {
    path: 'reject',
    fields: ['commitment', 'comment'],
    receipt: 'approval.rejected',
    run: async (acting) => (await acting.runtime.reject(acting.session, acting.ref, decisionOf(acting))).outcome,
  },
  {
    path: 'approvals/:id/revoke',
    fields: [],
    receipt: 'approval.revoked',
    async run({ runtime, session, ref, ifRevision, param }) {
      return (await runtime.revokeApproval(session, ref, param('id'), { ifRevision })).outcome
    },
  },
  {
    path: 'withdraw',
    fields: [],
    receipt: 'proposal.withdrawn',
    run: async ({ runtime, session, ref, ifRevision }) =>
      (await runtime.withdraw(session, ref, { ifRevision })).outcome,
  },
  {
    path: 'check',
    fields: [],
    receipt: null,
    async run({ runtime, session, ref, ifRevision }) {
      return checked(await runtime.check(session, ref, { ifRevision }))
    },
  },
  {
    path: 'reconcile',
    fields: [],
    receipt: null,
    async run({ runtime, session, ref, ifRevision }) {
      const { permitted } = await runtime.standing(session, ref)
      // Before it is due only an operator may have it looked at.
      const now = permitted.includes('operate')
      return (await runtime.reconcile(session, ref, { ifRevision, now })).outcome
    },
  },
  {
    path: 'resume',
    fields: ['reason'],
    receipt: 'operation.resumed',
    async run({ runtime, session, ref, ifRevision, field }) {
      return (await runtime.resume(session, ref, { ifRevision, reason: field('reason') })).outcome
    },
  },
  {
    path: 'settle',
    fields: ['verdict', 'reason', 'evidenceReference'],
    receipt: 'operation.settled',
    async run({ runtime, session, ref, ifRevision, field }) {
      const input = { verdict: verdictOf(field('verdict')), reason: field('reason') }
      const evidenceReference = field('evidenceReference')
      return (await runtime.settle(session, ref, { ifRevision, ...input, evidenceReference })).outcome
    },
  },
]

function decisionOf({ field, ifRevision }: Acting): Parameters<ProposalRuntime['approve']>[2] {
  const comment = field('comment').trim()
  return { commitment: field('commitment'), ifRevision, ...(comment === '' ? {} : { comment }) }
}

function checked({ drifted }: CheckResult): Said {
  if (drifted === null) return 'not_told'
  return drifted ? 'moved' : 'stands'
}

const VERDICTS = ['occurred', 'did_not_occur', 'closed_unknown'] as const satisfies readonly SettleInput['verdict'][]

function verdictOf(text: string): SettleInput['verdict'] {
  const verdict = VERDICTS.find((one) => one === text)
  if (verdict === undefined) throw new InvalidRequest([{ path: '/verdict', rule: 'enum', message: 'is none of them' }])
  return verdict
}
