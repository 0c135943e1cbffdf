// The stage: a real business system, real files for the runtime, and one time for both that only the stories move.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AnyAction, isReference, keyringFile, ProposalRuntime, type RuntimeOptions } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'
import { type BusinessSystem, startBusinessSystem, VirtualClock } from 'countersign/testing'
import { agent } from './cast.ts'

/** Where the runtime keeps what. */
export interface Files {
  readonly folder: string
  readonly store: string
  readonly keyring: string
}

type Kept = Pick<RuntimeOptions, 'store' | 'keyring'>

export class Stage {
  /** A process of its own, over HTTP; every order in it is captured 100.00 EUR with 20.00 refunded. */
  readonly business: BusinessSystem
  readonly clock: VirtualClock
  readonly files: Files
  readonly #kept: Kept
  #ordersHandedOut = 0

  private constructor(business: BusinessSystem, clock: VirtualClock, files: Files, kept: Kept) {
    this.business = business
    this.clock = clock
    this.files = files
    this.#kept = kept
  }

  /** All files lie in the folder. */
  static async open(folder: string): Promise<Stage> {
    const clock = new VirtualClock(Date.UTC(2030, 0, 1))
    const business = await startBusinessSystem({ file: join(folder, 'business.db'), now: clock.now() })
    const files = { folder, store: join(folder, 'countersign.db'), keyring: join(folder, 'countersign.keys') }
    const store = await sqliteStore(files.store, { clock })
    const keyring = await keyringFile(files.keyring, { create: true })
    return new Stage(business, clock, files, { store, keyring })
  }

  /** A runtime for one story, with the refund as that story needs it. */
  async runtime(action: AnyAction): Promise<ProposalRuntime> {
    return ProposalRuntime.open({ ...this.#kept, clock: this.clock, actions: [action] })
  }

  /** An order that no other story touches. */
  newOrder(): string {
    this.#ordersHandedOut += 1
    return `ORD-${1_000 + this.#ordersHandedOut}`
  }

  /** Lets time pass, for the runtime and its store and for the business system alike. */
  async letPass(ms: number): Promise<void> {
    await this.clock.advance(ms)
    await this.business.setTime(this.clock.now())
  }

  /** How many refunds of the order stand in the books. */
  async refundsOf(order: string): Promise<number> {
    const booked = (await this.business.effects()).filter(({ orderReference }) => orderReference === order)
    return booked.reduce((sum, { count }) => sum + count, 0)
  }

  /** How often the business system has been asked to refund the order. */
  async attemptsOn(order: string): Promise<number> {
    const posted = (await this.business.requests()).filter(({ method }) => method === 'POST')
    return posted.filter(({ body }) => refersTo(body, order)).length
  }

  /** What the store holds of a proposal as bytes: its content as it is sealed, and its key as it is wrapped. */
  async sealedBytes(proposal: string): Promise<readonly Buffer[]> {
    const { store } = this.#kept
    const { tenant } = agent
    assert(isReference(tenant) && isReference(proposal))
    const stored = await store.proposal(tenant, proposal)
    assert(stored?.kind === 'live')
    const { key, content, comments, result } = stored
    const detail = await store.attemptDetail(stored.proposal.effect, 1)
    const sealed = [key.wrapped, content.snapshot, content.preview, ...comments.values(), result, detail]
    return sealed.filter((bytes) => bytes !== null).map((bytes) => Buffer.from(bytes))
  }

  /** The runtime's files as they lie on the disk: the database, the logs beside it, and the keyring. */
  async runtimeFiles(): Promise<readonly Buffer[]> {
    const names = (await readdir(this.files.folder)).filter((name) => name.startsWith('countersign.'))
    return Promise.all(names.map(async (name) => readFile(join(this.files.folder, name))))
  }

  async close(): Promise<void> {
    await this.#kept.store.close()
    await this.business.stop()
  }
}

function refersTo(body: unknown, order: string): boolean {
  return typeof body === 'object' && body !== null && 'orderReference' in body && body.orderReference === order
}
