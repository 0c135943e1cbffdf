// Invariants I12, I13 and I18: time, receipts, and the table of the lifecycle with the guards of the store.
import { mayMove } from '../../../src/proposal/status.ts'
import { verifyReceipts } from '../../../src/proposal/receipts/verify-receipts.ts'
import type { Answered, Committed, Held } from '../book.ts'
import { nameOf } from '../effect-name.ts'
import { sortedText } from '../sorted-text.ts'
import { committedIn } from './entries.ts'
import type { Invariant, Stored, View, Witness } from './invariant.ts'

export const recordInvariants: readonly Invariant[] = [
  {
    id: 'I12',
    says: 'the time of a proposal never goes back, and what is over stays over',
    *violations({ proposals, world }) {
      for (const { ref } of proposals) yield* times(ref, world.book.proposals.get(ref))
    },
  },
  {
    id: 'I13',
    says: 'every revision has one receipt, chained to the one before it',
    *violations({ proposals }) {
      for (const stored of proposals) yield* chain(stored)
    },
  },
  {
    id: 'R3',
    says: 'nothing is acknowledged before it is stored',
    *violations({ world, fresh }) {
      for (const entry of fresh) if (entry.kind === 'answered') yield* unstored(world, entry)
    },
  },
  {
    id: 'I18',
    says: 'only moves of the table are stored, one revision at a time, and a write on what is past changes nothing',
    *violations(view) {
      for (const entry of committedIn(view.fresh)) {
        yield* guardedProposals(entry)
        yield* guardedEffect(entry)
      }
      yield* differences(view)
    },
  },
]

// Once it is erased, a proposal shows what is left of its effect, which is no revision of its own.
function* unstored({ book }: Witness, { operation, proposal, status, revision, order }: Answered): Iterable<string> {
  const held = book.proposals.get(proposal)
  const body = held?.receipts[revision]?.body ?? null
  const at = committedIn(book.entries).find(({ change }) => {
    return change.receipts.some((receipt) => receipt.proposal === proposal && receipt.sequence === revision + 1)
  })
  const what = `${operation} told of ${proposal} that it is ${status} at revision ${revision}`
  if (held === undefined || at === undefined || at.order > order) yield `${what}, which was not stored`
  else if (body !== null && body.status !== status && held.tombstone === null)
    yield `${what}, and it was ${body.status}`
}

const OVER = new Set<string>(['expired', 'superseded', 'rejected', 'withdrawn', 'stale'])

function* times(ref: string, held: Held | undefined): Iterable<string> {
  const bodies = (held?.receipts ?? []).flatMap(({ body }) => (body === null ? [] : [body]))
  for (const [index, { at, status }] of bodies.entries()) {
    const before = bodies[index - 1]
    if (before === undefined) continue
    if (at < before.at) yield `${ref} went back from ${before.at} to ${at}`
    if (OVER.has(before.status) && status !== before.status) yield `${ref} was ${before.status} and became ${status}`
  }
}

function* chain({ ref, read, receipts }: Stored): Iterable<string> {
  const isLive = read.kind === 'live'
  const { revision, status } = isLive ? read.proposal : read.tombstone
  const head = { sequence: revision + 1, hash: isLive ? read.lastHash : read.tombstone.lastHash }
  const { integrity, consistency } = verifyReceipts(receipts, isLive ? read.receiptSalt : null, head)
  for (const { sequence, problem } of [...integrity, ...consistency]) yield `receipt ${sequence} of ${ref}: ${problem}`
  if (receipts.length !== revision + 1) yield `${ref} has ${receipts.length} receipts at revision ${revision}`
  const last = receipts.at(-1)?.body
  const isTold = !isLive || (last?.status === status && last.at === read.proposal.updatedAt)
  if (!isTold) yield `the last receipt of ${ref} tells of something else`
  if (!isLive && receipts.some(({ body }) => body !== null)) yield `${ref} is erased and its receipts speak`
}

function* guardedProposals({ change, before }: Committed): Iterable<string> {
  for (const write of change.proposals) {
    const { ref, status, revision } = write.kind === 'erase' ? write.tombstone : write.proposal
    const was = before.proposals.get(ref)
    if (change.receipts.filter(({ proposal }) => proposal === ref).length !== 1)
      yield `${ref} was written without a receipt`
    if (write.kind === 'insert') {
      if (was !== undefined) yield `${ref} was stored twice`
    } else if (was === undefined || was.tombstone !== null) yield `${ref} was changed after its end`
    else if (revision !== was.proposal.revision + 1) yield `${ref} went from ${was.proposal.revision} to ${revision}`
    else if (!mayMove(was.proposal.status, status)) yield `${ref} went from ${was.proposal.status} to ${status}`
  }
}

function* guardedEffect({ change, before }: Committed): Iterable<string> {
  if (change.effect === null) return
  const { expect, row, opened, ended } = change.effect
  const { version = 'absent', epoch = 0, attempts = [] } = before.effect ?? {}
  const open = attempts.find((attempt) => attempt.ending === null) ?? null
  if (version !== expect) yield `an effect was written at ${expect} while it was at ${version}`
  if (version !== 'absent' && row.version <= version) yield 'the version of an effect did not grow'
  if (row.epoch < epoch) yield 'a fence came down'
  if (opened !== null && open !== null) yield `attempts ${open.number} and ${opened.number} are open together`
  if (opened !== null && opened.epoch <= epoch) yield 'an attempt was admitted without a new fence'
  if (ended !== null && ended.token !== open?.token) yield `attempt ${ended.number} was ended by somebody else`
}

// Whatever was not committed is not there, and whatever was is.
function* differences({ world, proposals, effects }: View): Iterable<string> {
  for (const { ref, read } of proposals) {
    const held = world.book.proposals.get(ref)
    if (held === undefined || world.tampered.has(ref)) continue
    const expected = sortedText(held.tombstone ?? { ...held.proposal, approvals: held.approvals })
    const found = sortedText(read.kind === 'erased' ? read.tombstone : { ...read.proposal, approvals: read.approvals })
    if (found !== expected) yield `${ref} is stored as ${found}, not ${expected}`
  }
  for (const effect of effects) {
    const [found, expected] = [sortedText(effect), sortedText(world.book.effects.get(nameOf(effect.key)))]
    if (found !== expected) yield `an effect is stored as ${found}, not ${expected}`
  }
}
