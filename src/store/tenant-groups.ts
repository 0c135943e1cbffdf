// Shared commits tenant by tenant, so that nobody waits for what another tenant has locked.
import { setImmediate as turn } from 'node:timers/promises'
import type { Shares, Write } from './engine.ts'
import { type CommitTogether, GroupCommit } from './group-commit.ts'

/** A group for every tenant of whom somebody is waiting. */
export class TenantGroups {
  readonly #max: number
  readonly #commitTogether: CommitTogether
  readonly #groups = new Map<string, GroupCommit>()

  constructor(max: number, commitTogether: CommitTogether) {
    this.#max = max
    this.#commitTogether = commitTogether
  }

  /** As {@link GroupCommit.commit}. */
  async commit<Result>(write: Write<Result>, { tenant, rows }: Shares): Promise<Result> {
    let group = this.#groups.get(tenant)
    if (group === undefined) {
      group = new GroupCommit(this.#max, this.#commitTogether, () => this.#groups.delete(tenant))
      this.#groups.set(tenant, group)
    }
    return group.commit(write, rows)
  }

  /** Resolves when every write that was asked for so far is answered. */
  async answered(): Promise<void> {
    await turn()
    await Promise.all([...this.#groups.values()].map((group) => group.answered()))
  }
}
