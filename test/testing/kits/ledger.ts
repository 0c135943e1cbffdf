// A target in process: accounts with versions, credits under keys, and the faults that a world may set.

/** An account as it is read. */
export interface Account {
  readonly account: string
  readonly version: number
  readonly balance: number
  /** Of no account for any decision. */
  readonly label: string
  /** Private. */
  readonly note: string
}

/** A credit in the books. */
export interface Credit {
  readonly id: string
  readonly key: string
  readonly account: string
  readonly cents: number
}

/** What the ledger answers to a request for a credit. */
export type CreditAnswer = { readonly kind: 'booked'; readonly credit: Credit } | { readonly kind: 'changed' }

/** What a look-up answers; `late` says that it may be from before. */
export interface CreditSearch {
  readonly late: boolean
  readonly credits: readonly Credit[]
  /** Whether every key asked for is finished without effect. */
  readonly finished: boolean
}

export class LedgerUnreachable extends Error {}
export class AnswerCutOff extends Error {}

/** The faults of the ledger's next request. */
export type LedgerFault = 'commit_then_drop' | 'drop_before_commit' | 'lagging_reads' | 'truncated'

/** The books. Everything that a test counts is counted here. */
export class Ledger {
  readonly #accounts = new Map<string, Account>()
  readonly #finished = new Set<string>()
  readonly #faults: LedgerFault[] = []
  credits: Credit[] = []
  writes = 0
  isDown = false
  beforeWrite: (() => Promise<void>) | null = null
  #opened = 0
  #booked = 0

  /** A new account with nothing on it. */
  open(note: string): string {
    this.#opened += 1
    const account = `AC-${this.#opened}`
    this.#accounts.set(account, { account, version: 1, balance: 0, label: 'first label', note })
    return account
  }

  /** Changes an account, which raises its version unless only the label is changed. */
  change(account: string, change: Partial<Pick<Account, 'balance' | 'label'>>): void {
    const before = this.#account(account)
    const version = change.balance === undefined ? before.version : before.version + 1
    this.#accounts.set(account, { ...before, ...change, version })
  }

  fault(fault: LedgerFault): void {
    this.#faults.push(fault)
  }

  async read(account: string): Promise<Account> {
    if (this.isDown) throw new LedgerUnreachable('The ledger cannot be reached.')
    return this.#account(account)
  }

  /** A write that has nothing to do with money. */
  async touch(): Promise<void> {
    this.writes += 1
  }

  /** Books a credit once for each key, if the account still has the version; without one, whatever it has. */
  async credit(order: Omit<Credit, 'id'> & { readonly version: number | null }): Promise<CreditAnswer> {
    this.writes += 1
    const act = this.beforeWrite
    this.beforeWrite = null
    await act?.()
    if (this.isDown) throw new LedgerUnreachable('The ledger cannot be reached.')
    const known = this.credits.find(({ key }) => key === order.key)
    if (known !== undefined) return { kind: 'booked', credit: known }
    const { version, balance } = this.#account(order.account)
    if (order.version !== null && order.version !== version) return { kind: 'changed' }
    const fault = this.#take('commit_then_drop') ?? this.#take('drop_before_commit')
    if (fault === 'drop_before_commit') {
      this.#finished.add(order.key)
      throw new LedgerUnreachable('The connection was lost.')
    }
    this.#booked += 1
    const credit = { id: `CR-${this.#booked}`, key: order.key, account: order.account, cents: order.cents }
    this.credits.push(credit)
    this.change(order.account, { balance: balance + order.cents })
    if (fault !== null) throw new LedgerUnreachable('The connection was lost.')
    return { kind: 'booked', credit }
  }

  async find(isAskedFor: (credit: Credit) => boolean, keys: readonly string[]): Promise<CreditSearch> {
    if (this.isDown) throw new LedgerUnreachable('The ledger cannot be reached.')
    if (this.#take('truncated') !== null) throw new AnswerCutOff('The answer ended in the middle.')
    if (this.#take('lagging_reads') !== null) return { late: true, credits: [], finished: false }
    const credits = this.credits.filter(isAskedFor)
    return { late: false, credits, finished: keys.every((key) => this.#finished.has(key)) }
  }

  #account(account: string): Account {
    const found = this.#accounts.get(account)
    if (found === undefined) throw new Error('There is no such account.')
    return found
  }

  #take(fault: LedgerFault): LedgerFault | null {
    const index = this.#faults.indexOf(fault)
    if (index !== -1) this.#faults.splice(index, 1)
    return index === -1 ? null : fault
  }
}
