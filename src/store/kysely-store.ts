// The store over a database: every statement written with Kysely once, run by whichever engine.
import type { Kysely } from 'kysely'
import type { GuardedCall } from '../effect/calls/guarded-call.ts'
import type { EffectKey } from '../effect/effect-key.ts'
import type { Effect } from '../effect/effect.ts'
import { parseReference, type ReasonCode, type Reference } from '../effect/reference.ts'
import { StoreUnavailable } from '../proposal/errors.ts'
import type { Proposal } from '../proposal/proposal.ts'
import type { Receipt } from '../proposal/receipts/receipt.ts'
import type {
  Change,
  Committed,
  Conflict,
  Deliveries,
  ErasedProposal,
  ErasedRef,
  ListQuery,
  LiveProposal,
  Restore,
  RestoreState,
  Sealed,
  Standing,
  Store,
  StoredEvent,
  StoredKey,
  StoreIdentity,
  DueItem,
  DueQuery,
  Witness,
} from '../runtime/ports.ts'
import { assertChange } from './change-invariants.ts'
import type { Capabilities } from './capabilities.ts'
import { alone, type Engine } from './engine.ts'
import { KyselyDeliveries } from './kysely-deliveries.ts'
import { firstOf, type Operation } from './operation.ts'
import { type CallReader, callReader } from './reads/call-reader.ts'
import { dueReader, type ReadDue } from './reads/due-reader.ts'
import { type EffectReader, effectReader } from './reads/effect-reader.ts'
import { type ErasureReader, erasureReader } from './reads/erasure-reader.ts'
import { type EventReader, eventReader } from './reads/event-reader.ts'
import { type KeyReader, keyReader } from './reads/key-reader.ts'
import { type ReadList, listReader, type OnCorruptRow } from './reads/list-reader.ts'
import { type ProposalReader, proposalReader } from './reads/proposal-reader.ts'
import { type ReadStanding, standingReader } from './reads/standing-reader.ts'
import type { Reconnects } from './reconnects.ts'
import { gatedEngine, RestoreGate } from './restore-gate.ts'
import { type RestoreBook, restoreBook } from './restores.ts'
import { bound } from './statement.ts'
import type { ReadTime } from './store-time.ts'
import type { Tables, UnscrubbedTable } from './tables.ts'
import { type AdoptIdentity, identityAdopter } from './writes/adopt-identity.ts'
import { type CommitChange, changeCommitter } from './writes/commit-change.ts'
import { isAdmission } from './writes/find-conflict.ts'
import { keyRewrapper, type Rewrap } from './writes/key-writer.ts'
import { scrubBook, type StrikeScrubbed } from './writes/scrub-book.ts'
import { touchedRows } from './writes/touched.ts'

/** What a store over a database is made of. `db` only compiles: statements are run by the engine. */
export interface KyselyStoreParts {
  readonly db: Kysely<Tables>
  readonly engine: Engine
  /** By which `notAfter` and `notBefore` are judged. */
  readonly time: ReadTime
  readonly capabilities: Capabilities
  readonly onCorruptRow: OnCorruptRow
  /** Null where nothing outside the store knows of it. */
  readonly witness: Witness | null
  readonly reconnects: Reconnects
}

/** The one implementation of the port for all databases. Spec: store 1 and 3. */
export class KyselyStore implements Store {
  readonly deliveries: Deliveries
  readonly #engine: Engine
  readonly #time: ReadTime
  readonly #commit: CommitChange
  readonly #adopt: AdoptIdentity
  readonly #proposals: ProposalReader
  readonly #effects: EffectReader
  readonly #calls: CallReader
  readonly #list: ReadList
  readonly #due: ReadDue
  readonly #events: EventReader
  readonly #erasures: ErasureReader
  readonly #strikeScrubbed: StrikeScrubbed
  readonly #keys: KeyReader
  readonly #rewrap: Rewrap
  readonly #standing: ReadStanding
  readonly #restores: RestoreBook
  readonly #gate: RestoreGate | null
  readonly #look: () => Operation<unknown>

  constructor({ db, engine, time, capabilities, onCorruptRow, witness, reconnects }: KyselyStoreParts) {
    this.#restores = restoreBook(db, capabilities, time)
    const book = this.#restores
    this.#gate = witness === null ? null : new RestoreGate({ engine, book, witness, reconnects })
    this.#engine = this.#gate === null ? engine : gatedEngine(engine, this.#gate)
    this.deliveries = new KyselyDeliveries(db, this.#engine, time)
    this.#time = time
    this.#commit = changeCommitter(db, capabilities, time)
    this.#adopt = identityAdopter(db)
    this.#proposals = proposalReader(db)
    this.#effects = effectReader(db)
    this.#calls = callReader(db, this.#effects)
    this.#list = listReader(db, onCorruptRow)
    this.#due = dueReader(db)
    this.#events = eventReader(db)
    this.#erasures = erasureReader(db)
    this.#strikeScrubbed = scrubBook(db)
    this.#keys = keyReader(db)
    this.#rewrap = keyRewrapper(db)
    this.#standing = standingReader(db)
    this.#look = () => firstOf(bound(db.selectFrom('store_identity').select('store_id')))
  }

  async commit(change: Change): Promise<Committed | Conflict> {
    assertChange(change)
    const gate = isAdmission(change) ? this.#gate : null
    await gate?.compared()
    const before = gate?.seen ?? null
    const landing = await this.#engine.write({
      operation: () => this.#commit(change),
      isKept: ({ answer }) => answer.kind === 'committed',
      shares: { tenant: change.tenant, rows: touchedRows(change) },
    })
    await gate?.admitted(landing, before)
    return landing.answer
  }

  async now(): Promise<number> {
    await this.health()
    return this.#engine.read(() => this.#time())
  }

  async proposal(tenant: Reference, ref: Reference): Promise<LiveProposal | ErasedProposal | null> {
    return this.#engine.read(() => this.#proposals.proposal(tenant, ref))
  }

  async effect(key: EffectKey): Promise<Effect | null> {
    return this.#engine.read(() => this.#effects.effect(key))
  }

  async call(key: EffectKey): Promise<GuardedCall | null> {
    return this.#engine.read(() => this.#calls.call(key))
  }

  async callById(tenant: Reference, actionId: Reference): Promise<EffectKey | null> {
    return this.#engine.read(() => this.#calls.byId(tenant, actionId))
  }

  async attemptDetail(key: EffectKey, number: number): Promise<Sealed | null> {
    return this.#engine.read(() => this.#effects.attemptDetail(key, number))
  }

  async effectByIdempotencyKey(tenant: Reference, idempotencyKey: string): Promise<EffectKey | null> {
    return this.#engine.read(() => this.#effects.byIdempotencyKey(tenant, idempotencyKey))
  }

  async byRequestKey(tenant: Reference, requestKeyHash: string): Promise<Reference | null> {
    return this.#engine.read(() => this.#proposals.byRequestKey(tenant, requestKeyHash))
  }

  async list(query: ListQuery): Promise<readonly Proposal[]> {
    return this.#engine.read(() => this.#list(query))
  }

  async due(query: DueQuery): Promise<readonly DueItem[]> {
    return this.#engine.read(() => this.#due(query))
  }

  async erasuresOpen(tenant: Reference, after: Reference | null, limit: number): Promise<readonly Reference[]> {
    return this.#engine.read(() => this.#erasures.open(tenant, after, limit))
  }

  async receipts(tenant: Reference, ref: Reference): Promise<readonly Receipt[]> {
    return this.#engine.read(() => this.#proposals.receipts(tenant, ref))
  }

  async standing(tenant: Reference): Promise<Standing> {
    return this.#engine.read(() => this.#standing(tenant))
  }

  async events(tenant: Reference, after: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#engine.read(() => this.#events.events(tenant, after, limit))
  }

  async adopt(claims: Parameters<Store['adopt']>[0]): Promise<StoreIdentity> {
    return this.#engine.write(alone(() => this.#adopt(claims)))
  }

  async restore(): Promise<RestoreState> {
    return this.#engine.read(() => this.#restores.state())
  }

  async acknowledgeRestore(by: Reference, reason: ReasonCode): Promise<Restore | null> {
    if ((await this.erasuresUndone()).length > 0) {
      throw new StoreUnavailable('Erasures are undone in this store; they are made good when a runtime opens it.')
    }
    const acknowledged = await this.#engine.write(alone(() => this.#restores.acknowledge(by, reason)))
    if (acknowledged !== null) await this.#gate?.acknowledged()
    return acknowledged
  }

  async erasuresUndone(): Promise<readonly ErasedRef[]> {
    return (await this.#gate?.erasuresUndone()) ?? []
  }

  async tenants(): Promise<readonly Reference[]> {
    return this.#engine.read(() => this.#keys.tenants())
  }

  async keysNotUnder(...page: Parameters<Store['keysNotUnder']>): Promise<readonly StoredKey[]> {
    return this.#engine.read(() => this.#keys.notUnder(...page))
  }

  async rewrap(...key: Parameters<Store['rewrap']>): Promise<boolean> {
    return this.#engine.write(alone(() => this.#rewrap(...key)))
  }

  // What is on the list before the files are scrubbed is struck off after it; interrupted in between, it is done again.
  async scrub(): Promise<'done' | 'busy'> {
    const erased = await this.#engine.read(() => this.#erasures.unscrubbed())
    if (erased.length === 0) return 'done'
    // Before it is said that they are erased, the witness knows that they were (rules R19).
    await this.#gate?.erased(erased.map(named))
    const answer = await this.#engine.scrub()
    if (answer === 'done') {
      await this.#engine.write(alone(() => this.#strikeScrubbed(erased)))
    }
    return answer
  }

  async health(): Promise<void> {
    await this.#engine.read(() => this.#look())
  }

  async close(): Promise<void> {
    await this.#engine.close()
  }
}

function named({ tenant, proposal }: UnscrubbedTable): ErasedRef {
  return { tenant: parseReference(tenant, '/tenant'), proposal: parseReference(proposal, '/proposal') }
}
