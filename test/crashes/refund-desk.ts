// The action of the crash tests: a refund at a business system that books whatever it is asked to, however often.
import { type Executed, type Execute, NotSent } from '../../src/proposal/action.ts'
import type { Store } from '../../src/runtime/ports.ts'
import type { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { type Methods, type Refund, TestAction } from '../runtime/refund.ts'
import type { Ledger } from './ledger.ts'

/** How the first call for an order ends; every later one is accepted. */
export type Mood = 'accepts' | 'books_and_throws' | 'throws' | 'sends_nothing'

/** What the desk works with. */
export interface RefundDeskParts {
  readonly ledger: Ledger
  readonly store: Store
  readonly clock: VirtualClock
  readonly mood: (order: string) => Mood
  /** Between the beginning of a call and its booking. */
  readonly whileExecuting?: () => Promise<void>
}

/**
 * An absence of which two reads a minute apart have made sure lets the refund be sent again, so that a runtime which gives
 * up an attempt too early is found out: the business system recognises no key.
 */
export function refundDesk({ ledger, store, clock, mood, whileExecuting }: RefundDeskParts): TestAction {
  const contract = { acceptProof: { failure: ['terminal', 'settled'], resend: ['settled'] }, lifetime: '1d' }
  const desk = new TestAction({ contract, now: () => clock.now() })
  const { resolve } = desk.methods
  const methods: Pick<Methods, 'resolve' | 'execute' | 'verify'> = {
    async resolve(input) {
      const beganAt = clock.now()
      const answer = await resolve(input)
      ledger.append({ kind: 'resolved', input, beganAt, answer })
      return answer
    },
    async execute(input) {
      const { tenant, proposal } = input.context
      const found = await store.proposal(tenant, proposal)
      const stored = found?.kind === 'live' ? found : null
      const effect = stored === null ? null : await store.effect(stored.proposal.effect)
      const call = ledger.append({ kind: 'executing', input, at: clock.now(), stored, effect })
      try {
        await whileExecuting?.()
        const answer = carriedOut(input, mood(input.snapshot.orderReference))
        ledger.append({ kind: 'executed', call, ended: 'returned' })
        return answer
      } catch (error) {
        ledger.append({ kind: 'executed', call, ended: 'threw' })
        throw error
      }
    },
    async verify(input) {
      const { idempotencyKeys } = input
      const call = ledger.append({ kind: 'verifying', input, beganAt: clock.now() })
      const bookings = ledger.of('booked').filter(({ key }) => idempotencyKeys.some((one) => one === key))
      const [first] = bookings
      const answer: Awaited<ReturnType<Methods['verify']>> =
        first === undefined
          ? { status: 'authoritative_final_absence', identity: idempotencyKeys, proof: 'settled' }
          : {
              status: 'verified_completion',
              identity: first.key,
              matches: bookings.length,
              facts: { '/orderReference': first.order, '/amount': first.amount },
              externalReference: `rf-${first.key.slice(-8)}`,
              occurredAt: first.at,
            }
      ledger.append({ kind: 'verified', call, answer })
      return answer
    },
  }
  Object.assign(desk.methods, methods)
  return desk

  function carriedOut({ attempt, idempotencyKey: key, snapshot }: Execute<Refund>, firstMood: Mood): Executed<Refund> {
    const moodNow = attempt === 1 ? firstMood : 'accepts'
    if (moodNow === 'sends_nothing') throw new NotSent('no_connection')
    if (moodNow === 'throws') throw new Error('the connection was lost on the way there')
    ledger.append({ kind: 'booked', key, order: snapshot.orderReference, amount: snapshot.amount, at: clock.now() })
    if (moodNow === 'books_and_throws') throw new Error('the connection was lost on the way back')
    return { status: 'accepted', externalReference: `rf-${key.slice(-8)}` }
  }
}
