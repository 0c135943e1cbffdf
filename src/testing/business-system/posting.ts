// A posting: a request that moves money, whatever it is called, from its headers to the reply.
import assert from 'node:assert/strict'
import type { PostingAtHand } from './faults.ts'
import { type KeyedRequest, rememberKey } from './keys.ts'
import { problem, type ProblemCode, type Reply } from './reply.ts'
import type { IncomingRequest, World } from './route.ts'

// Visible ASCII and no blank: a header that was sent twice arrives joined by ", " and is refused.
const keyForm = /^[!-~]{1,255}$/
const keysPerLookUpMax = 100

/** What is to be done about a posting, judged in the transaction that books. */
export type Judgement<Bookable, Booked, Refusal> =
  | { readonly kind: 'bookable'; readonly bookable: Bookable }
  | { readonly kind: 'booked_before'; readonly booked: Booked }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'errored' }
  | { readonly kind: 'refused'; readonly code: Refusal }

/** How one kind of posting is judged, booked, and answered once it is. */
export interface Booking<Bookable, Booked> {
  readonly judge: () => Judgement<Bookable, Booked, ProblemCode>
  readonly book: (bookable: Bookable) => Booked
  /** Books once more what has been booked; nothing is judged. */
  readonly bookAgain: (bookable: Bookable) => void
  /** Reverses what was booked under a key; that it was booked stays. */
  readonly reverse: (idempotencyKey: string) => void
  readonly created: (booked: Booked) => Reply
}

/** Judges a posting and does what was judged; a fault gets what would move money, and only that. */
export function answerPosting<Bookable, Booked>(
  world: World,
  request: KeyedRequest,
  booking: Booking<Bookable, Booked>,
): Reply {
  return settlePosting(world, request, booking, (posting) => {
    const fault = world.faults.takeForPosting()
    return fault === null ? posting.book() : fault(posting)
  })
}

function settlePosting<Bookable, Booked>(
  world: World,
  request: KeyedRequest,
  booking: Booking<Bookable, Booked>,
  move: (posting: PostingAtHand) => Reply,
): Reply {
  const { database, landings } = world
  const { book, bookAgain, reverse, created } = booking
  const judgement = booking.judge()
  switch (judgement.kind) {
    case 'mismatch':
      return problem('idempotency_mismatch')
    case 'finished':
      return problem('request_finished')
    case 'errored':
      return problem('internal_error')
    case 'booked_before':
      return created(judgement.booked)
    case 'refused':
      rememberKey(database, request, 'refused')
      return problem(judgement.code)
    case 'bookable': {
      const { bookable } = judgement
      return move({
        book: () => created(book(bookable)),
        bookTwice: () => {
          const booked = book(bookable)
          bookAgain(bookable)
          return created(booked)
        },
        decline: () => {
          rememberKey(database, request, 'refused')
          return problem('declined')
        },
        failForGood: () => {
          rememberKey(database, request, 'errored')
          return problem('internal_error')
        },
        acceptAndFail: () => {
          const reply = undone(database, () => created(book(bookable)))
          rememberKey(database, request, 'finished_without_effect')
          return reply
        },
        bookAndForgetKey: () => {
          const reply = created(book(bookable))
          rememberKey(database, request, 'forgotten')
          return reply
        },
        bookAndReverseLater: () => {
          const reply = created(book(bookable))
          landings.add(request.idempotencyKey, () => reverse(request.idempotencyKey))
          return reply
        },
        finishWithoutEffect: () => rememberKey(database, request, 'finished_without_effect'),
        // When it arrives, the business may have moved on: it is judged then, and no fault meets it again.
        landLater: () =>
          landings.add(request.idempotencyKey, () => {
            settlePosting(world, request, booking, (posting) => posting.book())
          }),
      })
    }
  }
}

// What it answers is kept, and what it did is taken back.
function undone(database: World['database'], work: () => Reply): Reply {
  const replies: Reply[] = []
  const undo = new Error('taken back')
  try {
    database
      .transaction(() => {
        replies.push(work())
        throw undo
      })
      .immediate()
  } catch (error) {
    if (error !== undo) throw error
  }
  const [reply] = replies
  assert(reply !== undefined, 'what was taken back had answered')
  return reply
}

/** The headers that every posting needs, or the reply that says what is wrong with them. */
export type PostingHeaders<Name extends string> =
  | { readonly kind: 'headers'; readonly idempotencyKey: string; readonly versions: Readonly<Record<Name, bigint>> }
  | Malformed

export interface Malformed {
  readonly kind: 'malformed'
  readonly reply: Reply
}

/**
 * Reads the key, and the versions in `If-Match`: one for each name, as in `"order-version:7"`; several stand in the order
 * of their names with a semicolon between them.
 */
export function readPostingHeaders<Name extends string>(
  request: IncomingRequest,
  names: readonly Name[],
): PostingHeaders<Name> {
  const { idempotencyKey, precondition } = request
  if (idempotencyKey === null || !keyForm.test(idempotencyKey)) {
    return malformed('header Idempotency-Key: one, of 1 to 255 visible characters')
  }
  if (precondition === null) return { kind: 'malformed', reply: problem('precondition_required') }
  const form = new RegExp(`^"${names.map((name) => `${name}:([1-9][0-9]{0,14})`).join(';')}"$`)
  const stated = form.exec(precondition)?.slice(1)
  if (stated === undefined) return malformed(`header If-Match: "${names.map((name) => `${name}:N`).join(';')}"`)
  const versions = Object.fromEntries(names.map((name, index) => [name, BigInt(stated[index] ?? 0)]))
  return { kind: 'headers', idempotencyKey, versions: versions as Record<Name, bigint> }
}

/** The keys of a look-up, each once, or the reply that says what is wrong with them. */
export function readLookUpKeys(
  request: IncomingRequest,
): { readonly kind: 'keys'; readonly keys: readonly string[] } | Malformed {
  const keys = [...new Set(request.url.searchParams.getAll('idempotencyKey'))]
  if (keys.length > 0 && keys.length <= keysPerLookUpMax && keys.every((key) => keyForm.test(key))) {
    return { kind: 'keys', keys }
  }
  return malformed(`query: one to ${keysPerLookUpMax} times idempotencyKey=…, visible characters`)
}

export function malformed(detail: string): Malformed {
  return { kind: 'malformed', reply: problem('malformed_request', detail) }
}
