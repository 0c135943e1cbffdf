// One life of the script at a time, on a store that others use too: how it is taken up, and what must be true of it afterwards.
import { parseReference } from '../../src/effect/reference.ts'
import { define } from '../../src/proposal/definition/definition.ts'
import type { Keyring, Store } from '../../src/runtime/ports.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { dumpStore } from '../runtime/dump-store.ts'
import { brokenIn } from '../runtime/invariants.ts'
import { TENANT } from '../runtime/sessions.ts'
import { type Acknowledged, callsIn, type Entry, type Ledger } from './ledger.ts'
import { bookingTroubles, lostIn, type Recovered } from './recovery.ts'
import { refundDesk } from './refund-desk.ts'
import { type LifeName, LIVES, Living, moodOf, type Stage } from './script.ts'

const DAY_MS = 24 * 3_600_000
const tenant = parseReference(TENANT, '')

/** The life that an order is about: its name comes first. */
function lifeOf(order: string): LifeName {
  return (order.split(' ')[0] ?? '') as LifeName
}

/** Takes every step of a life, or goes on where somebody else was. */
export async function liveThrough(stage: Stage, order: string): Promise<void> {
  const name = lifeOf(order)
  const life = new Living(stage, name, order)
  await life.untilItsEnd()
  if (name !== 'lapsed') return
  await stage.clock.advance(DAY_MS)
  await life.afterADay()
}

/** What is wrong with a life that is over, by the entries that are about it. Nobody but the hidden one erases it. */
export async function judgeLife(store: Store, entries: readonly Entry[], order: string): Promise<Recovered> {
  const name = lifeOf(order)
  const told = entries.filter((entry): entry is Acknowledged => entry.kind === 'acknowledged')
  const ref = told.at(-1)?.proposal
  const found = ref === undefined ? null : await store.proposal(tenant, parseReference(ref, ''))
  const end = found === null ? 'missing' : found.kind === 'erased' ? 'erased' : found.proposal.status
  const due = name === 'paid' ? 'verified' : LIVES[name].end
  const isDue = end === due || end === 'verification_unresolved'
  const lost = await lostIn(store, entries)
  return {
    broken: [...lost, ...bookingTroubles(entries, order, end), ...(isDue ? [] : [`its end is ${end}`])],
    ends: { [name]: end },
  }
}

/** What is wrong with everything that is stored, once all lives are over. */
export async function brokenAtTheEnd({
  store,
  ledger,
  keyring,
}: {
  readonly store: Store
  readonly ledger: Ledger
  readonly keyring: Keyring
}): Promise<readonly string[]> {
  const desk = refundDesk({ ledger, store, clock: new VirtualClock(0), mood: moodOf })
  const witnessed = { log: callsIn(ledger.entries), definitions: [define(desk)], booked: ledger.bookings() }
  return brokenIn(await dumpStore({ store, keyring, tenants: [TENANT] }, witnessed))
}
