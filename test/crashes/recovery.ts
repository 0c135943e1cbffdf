// What comes after a crash: the file is looked at, the script is played once more to its end, and everything is held against it.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Effect } from '../../src/effect/effect.ts'
import { parseReference, type Reference } from '../../src/effect/reference.ts'
import { define } from '../../src/proposal/definition/definition.ts'
import { localKeyring } from '../../src/runtime/keys/local-keyring.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { seededIds } from '../../src/testing/seeded-ids.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { dumpStore } from '../runtime/dump-store.ts'
import { brokenIn } from '../runtime/invariants.ts'
import { residueBeside } from '../runtime/residue.ts'
import { TENANT } from '../runtime/sessions.ts'
import { type Acknowledged, callsIn, type Entry, type Ledger } from './ledger.ts'
import { refundDesk } from './refund-desk.ts'
import { isTrouble, type LifeName, LIVES, moodOf, play } from './script.ts'

/** What a crash has left. */
export interface Wreck {
  readonly database: string
  readonly ledger: Ledger
  readonly keys: string
}

/** How a life stands when everything is over. */
export type Ends = Readonly<Partial<Record<LifeName, string>>>

/** What is wrong, sentence by sentence, and how the lives have ended. */
export interface Recovered {
  readonly broken: readonly string[]
  readonly ends: Ends
}

const HOUR_MS = 3_600_000
const tenant: Reference = parseReference(TENANT, '')

/** The file as SQLite itself sees it: what is wrong with it, and everything that a runtime can read from it, as a digest. */
export function lookAt(database: string): { readonly broken: readonly string[]; readonly seen: string } {
  const hash = createHash('sha256')
  if (!existsSync(database)) return { broken: [], seen: hash.digest('hex') }
  const file = new Database(database)
  try {
    // Only looking: what SQLite puts in order while it opens the file is put in order again by whoever comes next.
    file.pragma('synchronous = off')
    const found = file.pragma('integrity_check', { simple: true })
    const strays = file.pragma('foreign_key_check') as readonly unknown[]
    const entries = file.prepare<[], Schema>('select type, name, sql from sqlite_schema order by name').all()
    for (const { type, name, sql } of entries) {
      hash.update(`${type} ${name} ${sql}\n`)
      if (type !== 'table') continue
      for (const row of file.prepare(`select * from "${name}"`).raw().iterate()) hash.update(JSON.stringify(row))
    }
    const broken = [
      ...(found === 'ok' ? [] : [`integrity: ${String(found)}`]),
      ...(strays.length === 0 ? [] : [`foreign keys: ${strays.length} rows lead nowhere`]),
    ]
    return { broken, seen: hash.digest('hex') }
  } finally {
    file.close()
  }
}

interface Schema {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

/** Opens what was left, plays the script to its end, and says what is wrong then. */
export async function recover({ database, ledger, keys }: Wreck): Promise<Recovered> {
  const before = [...ledger.entries]
  const clock = new VirtualClock(lastMomentOf(before) + 2 * HOUR_MS)
  const store = await sqliteStore(database, { clock })
  try {
    const lost = await lostIn(store, before)
    ledger.append({ kind: 'started', at: clock.now() })
    const desk = refundDesk({ ledger, store, clock, mood: moodOf })
    const keyring = localKeyring(keys)
    const runtime = await ProposalRuntime.open({
      store,
      keyring,
      actions: [desk],
      clock,
      ids: seededIds(before.length + 2),
    })
    await play({ runtime, clock, ledger })
    const after = ledger.entries.slice(before.length)
    const { ends, unended } = await endsOf(store, ledger.entries)
    const names = Object.keys(LIVES) as LifeName[]
    // What is erased in the end was verified before.
    const booked = names.flatMap((name) =>
      bookingTroubles(ledger.entries, name, name === 'paid' ? 'verified' : ends[name]),
    )
    const witnessed = { log: callsIn(ledger.entries), definitions: [define(desk)], booked: ledger.bookings() }
    const dump = await dumpStore({ store, keyring, tenants: [TENANT] }, witnessed)
    const broken = brokenIn({ ...dump, effects: await effectsCalled(store, ledger) })
    const residue = residueBeside(database, { customer: desk.business.customer })
    const left = residue.map((name) => `after erasure ${name} lies in a file`)
    const whatever = [...lost, ...unended, ...booked, ...broken, ...left, ...troubled(after)]
    return { broken: whatever, ends }
  } finally {
    await store.close()
  }
}

/** What somebody was told and the file does not know. */
export async function lostFrom(database: string, entries: readonly Entry[]): Promise<readonly string[]> {
  const store = await sqliteStore(database, { clock: new VirtualClock(lastMomentOf(entries)) })
  try {
    return await lostIn(store, entries)
  } finally {
    await store.close()
  }
}

function lastMomentOf(entries: readonly Entry[]): number {
  return Math.max(0, ...entries.map((entry) => ('at' in entry ? entry.at : 'beganAt' in entry ? entry.beganAt : 0)))
}

/** Whatever somebody was told is there. */
export async function lostIn(store: Store, entries: readonly Entry[]): Promise<readonly string[]> {
  const told = entries.filter((entry): entry is Acknowledged => entry.kind === 'acknowledged')
  const lost = await Promise.all(
    told.map(async ({ step, life, proposal, revision, status }) => {
      const ref = parseReference(proposal, '')
      const found = await store.proposal(tenant, ref)
      const what = `lost: ${step} of ${life} was acknowledged`
      if (found === null) return [what]
      if (status === 'erased') return found.kind === 'erased' ? [] : [what]
      const chain = await store.receipts(tenant, ref)
      const receipt = revision === null ? chain.at(-1) : chain[revision]
      const isThere = receipt !== undefined && (receipt.body === null || receipt.body.status === status)
      return isThere ? [] : [what]
    }),
  )
  return lost.flat()
}

async function endsOf(store: Store, entries: readonly Entry[]): Promise<{ ends: Ends; unended: readonly string[] }> {
  const refs = new Map<LifeName, string>()
  for (const entry of entries) if (entry.kind === 'acknowledged') refs.set(entry.life, entry.proposal)
  const ends: Partial<Record<LifeName, string>> = {}
  const unended: string[] = []
  for (const name of Object.keys(LIVES) as LifeName[]) {
    const ref = refs.get(name)
    const found = ref === undefined ? null : await store.proposal(tenant, parseReference(ref, ''))
    const end = found === null ? 'missing' : found.kind === 'erased' ? 'erased' : found.proposal.status
    ends[name] = end
    // What was known to have failed may have waited for another try until it was too late for one.
    const isHonest = end === LIVES[name].end || end === 'verification_unresolved' || end === 'expired'
    if (!isHonest) unended.push(`the end: ${name} is ${end}`)
  }
  return { ends, unended }
}

// Also those of proposals that are erased by now.
async function effectsCalled(store: Store, ledger: Ledger): Promise<readonly Effect[]> {
  const effects = new Map<string, Effect>()
  for (const { stored } of ledger.of('executing')) {
    const effect = stored === null ? null : await store.effect(stored.proposal.effect)
    if (effect !== null) effects.set(JSON.stringify(effect.key), effect)
  }
  return [...effects.values()]
}

/** What the business system itself counts: nothing twice, and nothing verified that it does not hold. */
export function bookingTroubles(entries: readonly Entry[], order: string, end: string | undefined): readonly string[] {
  const count = entries.filter((entry) => entry.kind === 'booked' && entry.order === order).length
  return [
    ...(count > 1 ? [`twice: ${order} was booked ${count} times`] : []),
    ...(count === 0 && end === 'verified' ? [`lost: ${order} is verified and was never booked`] : []),
    ...(count > 0 && (end === 'failed_known' || end === 'expired')
      ? [`denied: ${order} was booked and is said to be ${end}`]
      : []),
  ]
}

/** Once nothing fails any more, no step of the script may be told that something did. */
function troubled(entries: readonly Entry[]): readonly string[] {
  return entries.filter(isTrouble).map(({ step, code }) => `after recovery ${step} was ${code}`)
}
