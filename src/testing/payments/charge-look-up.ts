// What the fake provider answers to a look-up: the charges of a reference, or one of the ways in which reads go wrong.
import type { LookUpFaultName } from '../faults.ts'
import type { Charge, PaymentBooks } from './payment-books.ts'

/** The answer to a look-up. A positive control is a charge that must be found; without it nothing is proven absent. */
export interface ChargeLookUp {
  /** What was looked up. */
  readonly clientReference: string
  readonly charges: readonly Charge[]
  /** Everything up to this instant is in the answer. */
  readonly asOf: number
  /** Whether this was the last page. */
  readonly isComplete: boolean
  readonly control: 'found' | 'missing'
}

/** What a look-up is answered from. */
export interface LookUpQuestion {
  readonly books: PaymentBooks
  readonly clientReference: string
  readonly fault: LookUpFaultName | null
  readonly now: number
}

/** Whose charge a look-up finds that answers about somebody else. */
const otherReference = 'another-reference'

export function answerLookUp({ books, clientReference, fault, now }: LookUpQuestion): ChargeLookUp {
  const charges = books.charges.filter((charge) => charge.clientReference === clientReference)
  const sound: ChargeLookUp = { clientReference, charges, asOf: now, isComplete: true, control: 'found' }
  const begin = books.endedAt(clientReference) ?? now
  switch (fault) {
    case null:
    case 'unavailable':
    case 'read_hangs':
      return sound
    case 'unhealthy_absence':
      return { ...sound, charges: [], control: 'missing' }
    case 'stale_reads':
      // From just before the first thing that happened under the reference.
      return { ...sound, charges: [], asOf: Math.min(begin, ...charges.map(({ bookedAt }) => bookedAt)) - 1 }
    case 'page_break':
      return { ...sound, charges: [], isComplete: false }
    case 'wrong_identity':
      return { ...sound, clientReference: otherReference, charges: [strangersCharge(now)] }
    case 'prefix_match':
      return { ...sound, charges: books.charges.filter((one) => one.clientReference.startsWith(clientReference)) }
    case 'replica_disagrees':
      return { ...sound, charges: [] }
  }
}

function strangersCharge(now: number): Charge {
  return {
    chargeId: 'ch_another',
    providerRequestId: 'req_another',
    customerId: 'another-customer',
    amountCents: 1,
    clientReference: otherReference,
    bookedAt: now,
    state: 'booked',
  }
}
