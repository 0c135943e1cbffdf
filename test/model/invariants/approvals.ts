// Invariants I31 to I33: what approvals stand for, how often they count, and that what is shown is what they were given for.
import { fits } from '../../proposal/policy-oracle.ts'
import type { Committed, Held } from '../book.ts'
import { sortedText } from '../sorted-text.ts'
import type { Tampering } from '../tampering.ts'
import { committedIn } from './entries.ts'
import type { Invariant, Witness } from './invariant.ts'

export const approvalInvariants: readonly Invariant[] = [
  {
    id: 'I31',
    says: 'with any field of its manifest changed, a proposal is neither approved nor executed',
    *violations({ world, fresh }) {
      for (const entry of committedIn(fresh)) {
        for (const [ref, { tampering, since }] of world.tampered) {
          const isLater = entry.order > since && !OUTSIDE.has(tampering)
          if (isLater && goesOn(entry, ref)) yield `${ref} went on after ${tampering}`
        }
      }
    },
  },
  {
    id: 'I32',
    says: 'one person’s approval counts once, and a rejection is final',
    *violations({ world, fresh, proposals }) {
      for (const entry of committedIn(fresh)) yield* countedTwice(world, entry)
      for (const { ref } of proposals) {
        const held = world.book.proposals.get(ref)
        const isRejected = held?.approvals.some(({ decision }) => decision === 'reject') === true
        if (isRejected && held.proposal.status !== 'rejected')
          yield `${ref} was rejected and is ${held.proposal.status}`
      }
    },
  },
  {
    id: 'I33',
    says: 'the preview that is shown is the one that was committed to, or none',
    *violations({ world, shown }) {
      for (const [ref, preview] of shown) {
        const { order, amount, paid } = world.preparedFor(ref)
        const isSame = preview === sortedText({ order, amount, alreadyPaid: paid })
        if (preview !== null && !isSame) yield `${ref} shows ${preview}`
        const isToBeSeen = isWhole(world, ref) && !isHidden(world.book.proposals.get(ref))
        if (preview !== null && !isToBeSeen) yield `${ref} is shown although it must not be`
        if (preview === null && isToBeSeen && !isUnreadable(world, ref)) yield `${ref} is not shown`
      }
    },
  },
]

/** A result is no part of the manifest, and approvals of something else are worth nothing by themselves. */
const OUTSIDE = new Set<Tampering>(['result_flipped', 'approvals_planted'])

function goesOn({ change }: Committed, ref: string): boolean {
  const isApproved = change.approvals.some((write) => {
    return write.proposal === ref && write.kind === 'decided' && write.approval.decision === 'approve'
  })
  return isApproved || change.effect?.opened?.proposal === ref
}

function* countedTwice({ book }: Witness, { change, before }: Committed): Iterable<string> {
  for (const write of change.approvals) {
    const held = before.proposals.get(write.proposal)
    if (write.kind !== 'decided' || write.approval.decision !== 'approve' || held === undefined) continue
    const { effect, policy, commitment } = held.proposal
    const attempted = [...book.effects.values()].some(({ key, attempts }) => {
      return key.reference === effect.reference && attempts.length > 0
    })
    // Where another owner's attempts are behind the effect, an approval may be asked for anew (rules R1).
    if (attempted) continue
    const { approver, decidedAt } = write.approval
    const { kind, id } = approver
    const isCounted = held.approvals.some((earlier) => {
      const isSame = earlier.approver.kind === kind && earlier.approver.id === id
      const place = policy.require.find((one) => {
        // By the clock of whoever took the decision, which may be ahead of the others.
        return one.applies && fits(policy, one, earlier, held.approvals, { now: decidedAt, commitment })
      })
      return isSame && place !== undefined
    })
    if (isCounted) yield `${id} approved ${write.proposal} once more while the first approval counts`
  }
}

function isWhole({ tampered }: Witness, ref: string): boolean {
  const one = tampered.get(ref)
  return one === undefined || OUTSIDE.has(one.tampering)
}

function isHidden(held: Held | undefined): boolean {
  return held?.tombstone !== null || held.proposal.erasure === 'pending'
}

function isUnreadable({ book, corrupt }: Witness, ref: string): boolean {
  const reference = book.proposals.get(ref)?.proposal.effect.reference ?? ''
  return [...corrupt].some((name) => name.endsWith(reference))
}
