// A posting: a request that moves money, whatever it is called, from its headers to the reply.
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
  | { readonly kind: 'refused'; readonly code: Refusal }

/** How one kind of posting is booked, and answered once it is. */
export interface Booking<Bookable, Booked> {
  readonly book: (bookable: Bookable) => Booked
  readonly created: (booked: Booked) => Reply
}

/** Does what was judged; a fault gets what would move money, and only that. */
export function answerPosting<Bookable, Booked>(
  { database, faults }: World,
  request: KeyedRequest,
  judgement: Judgement<Bookable, Booked, ProblemCode>,
  { book, created }: Booking<Bookable, Booked>,
): Reply {
  switch (judgement.kind) {
    case 'mismatch':
      return problem('idempotency_mismatch')
    case 'finished':
      return problem('request_finished')
    case 'booked_before':
      return created(judgement.booked)
    case 'refused':
      rememberKey(database, request, 'refused')
      return problem(judgement.code)
    case 'bookable': {
      const { bookable } = judgement
      const finishWithoutEffect = () => rememberKey(database, request, 'finished_without_effect')
      const fault = faults.takeForPosting()
      return fault === null ? created(book(bookable)) : fault({ book: () => void book(bookable), finishWithoutEffect })
    }
  }
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
