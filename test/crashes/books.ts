// The business system of the crash proofs: its books, and an action and a guarded operation that book in them.
import { z } from 'zod'
import { VerificationResult } from '../../src/effect/answer.ts'
import type { VerifyAction } from '../../src/runtime/calls/operation.ts'
import { type Child, startChild } from '../store/processes/child.ts'
import type { Methods } from '../runtime/refund.ts'

const bookingSchema = z.object({ key: z.string(), id: z.string(), content: z.unknown() })
const approvedSchema = z.object({ orderReference: z.unknown(), amount: z.unknown() })

/** Books in a process of their own, which nothing kills: what stands in them has happened. */
export interface Books {
  readonly url: string
  /** How often each key was booked. */
  counts(): Promise<ReadonlyMap<string, number>>
  stop(): Promise<void>
}

export async function startBooks(): Promise<Books> {
  const child: Child = startChild(new URL('./processes/books.ts', import.meta.url), [])
  const url = (await child.line()) ?? ''
  return {
    url,
    async counts() {
      const keys = z.array(z.string()).parse(await (await fetch(url)).json())
      const counts = new Map<string, number>()
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
      return counts
    },
    async stop() {
      child.process.stdin?.end()
      await child.exited
    },
  }
}

/** Books under a key, whatever stands there already: nothing here hides that it was asked twice. */
export async function book(url: string, key: string, content: unknown, signal?: AbortSignal): Promise<string> {
  const response = await fetch(`${url}/?key=${encodeURIComponent(key)}`, {
    method: 'POST',
    body: JSON.stringify(content),
    ...(signal === undefined ? {} : { signal }),
  })
  return bookingSchema.parse(await response.json()).id
}

async function bookingsOf(url: string, keys: readonly string[]): Promise<readonly z.output<typeof bookingSchema>[]> {
  const query = keys.map((key) => `key=${encodeURIComponent(key)}`).join('&')
  return z.array(bookingSchema).parse(await (await fetch(`${url}/?${query}`)).json())
}

/** What an action does at the books; to be handed to `TestAction`. */
export function bookedMethods(url: string): Pick<Methods, 'execute' | 'verify'> {
  return {
    async execute({ snapshot: { orderReference, amount }, idempotencyKey, signal }) {
      const id = await book(url, idempotencyKey, { orderReference, amount }, signal)
      return { status: 'accepted', externalReference: id, result: { refundId: id } }
    },
    async verify({ idempotencyKeys }) {
      const found = await bookingsOf(url, idempotencyKeys)
      const first = found[0]
      // The runtime believes it only once nothing can be on its way any more.
      if (first === undefined) {
        return { status: 'authoritative_final_absence', identity: idempotencyKeys, proof: 'terminal' }
      }
      const { orderReference, amount } = approvedSchema.parse(first.content)
      return {
        status: 'verified_completion',
        identity: first.key,
        matches: found.length,
        facts: { '/orderReference': orderReference, '/amount': amount },
        externalReference: first.id,
        result: { refundId: first.id },
      }
    },
  }
}

/** Looks a guarded call up; whoever made it is gone. */
export function callVerifier(url: string): VerifyAction {
  return async ({ providerReference }) => {
    const found = await bookingsOf(url, [providerReference ?? ''])
    const bound = { verifiedProviderReference: providerReference }
    return found.length > 0
      ? VerificationResult.confirmed(bound)
      : VerificationResult.absent({ ...bound, retrySafe: true })
  }
}
