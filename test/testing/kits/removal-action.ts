// An action whose effect is that something is gone, with its target and its world.
import { z } from 'zod'
import {
  Action,
  contract,
  type Execute,
  type Executed,
  type Prepare,
  type Prepared,
  type Preview,
  type Resolve,
  type Resolved,
  type Snapshot,
  type Verified,
  type Verify,
} from '../../../src/index.ts'
import type { ActionWorld } from '../../../src/testing.ts'

const OWNER = 'canary-owner-2ee8'

class ArchiveUnreachable extends Error {}

/** Records that can be removed; who removed them, and under which key, is kept. */
export class Archive {
  readonly #records = new Map<string, number>()
  removals: { readonly record: string; readonly key: string | null }[] = []
  writes = 0
  isDown = false
  isCutOff = false
  isLate = false
  losesAnswer = false
  losesRequest = false
  beforeWrite: (() => Promise<void>) | null = null
  #made = 0

  make(): string {
    this.#made += 1
    this.#records.set(`RECORD-${this.#made}`, 1)
    return `RECORD-${this.#made}`
  }

  change(record: string): void {
    const version = this.#records.get(record)
    if (version !== undefined) this.#records.set(record, version + 1)
  }

  async version(record: string): Promise<number | null> {
    if (this.isDown) throw new ArchiveUnreachable('The archive cannot be reached.')
    return this.#records.get(record) ?? null
  }

  async remove(record: string, version: number, key: string): Promise<'removed' | 'changed'> {
    this.writes += 1
    const act = this.beforeWrite
    this.beforeWrite = null
    await act?.()
    if (this.isDown || this.losesRequest) {
      this.losesRequest = false
      throw new ArchiveUnreachable('The connection was lost.')
    }
    if (this.removals.some((removal) => removal.key === key)) return 'removed'
    if (this.#records.get(record) !== version) return 'changed'
    this.removeUnder(record, key)
    if (this.losesAnswer) {
      this.losesAnswer = false
      throw new ArchiveUnreachable('The connection was lost.')
    }
    return 'removed'
  }

  removeUnder(record: string, key: string | null): void {
    this.#records.delete(record)
    this.removals.push({ record, key })
  }

  async removalsUnder(keys: readonly string[]): Promise<readonly { readonly record: string; readonly key: string }[]> {
    if (this.isDown || this.isCutOff) {
      this.isCutOff = false
      throw new ArchiveUnreachable('The connection was lost.')
    }
    const isLate = this.isLate
    this.isLate = false
    if (isLate) return []
    return this.removals.flatMap(({ record, key }) => (key !== null && keys.includes(key) ? [{ record, key }] : []))
  }
}

export const removal = contract({
  type: 'example.archive/remove@1',
  schemas: {
    command: z.strictObject({ record: z.string(), owner: z.string() }),
    snapshot: z.strictObject({ record: z.string(), owner: z.string(), version: z.int() }),
    preview: z.strictObject({ title: z.string(), record: z.string() }),
    result: z.strictObject({}),
  },
  lifetime: '10m',
  policy: { require: [{ name: 'archivist', count: 1, from: { role: 'archivist' } }] },
  permissions: { prepare: 'clerk' },
  facts: ['/record'],
  target: { name: 'archive', idempotent: false },
})
export type Removal = typeof removal

/** Removes a record once; that it is gone does not say that it was removed here. */
export class RemovalAction extends Action<Removal> {
  readonly contract = removal
  readonly archive: Archive

  constructor(archive: Archive) {
    super()
    this.archive = archive
  }

  async prepare({ command, effect }: Prepare<Removal>): Promise<Prepared<Removal>> {
    const version = await this.archive.version(command.record)
    return {
      snapshot: { ...command, version: version ?? 0 },
      effectReference: effect.derive('remove', command.record),
    }
  }

  preview({ record }: Snapshot<Removal>): Preview<Removal> {
    return { title: 'Remove a record', record }
  }

  async resolve({ snapshot }: Resolve<Removal>): Promise<Resolved<Removal>> {
    const version = await this.archive.version(snapshot.record)
    return { current: version === null ? null : { ...snapshot, version }, precondition: `version:${version ?? 'none'}` }
  }

  async execute({ snapshot, precondition, idempotencyKey }: Execute<Removal>): Promise<Executed<Removal>> {
    const version = Number(precondition.slice('version:'.length))
    const removed = await this.archive.remove(snapshot.record, version, idempotencyKey)
    return removed === 'removed' ? { status: 'accepted' } : { status: 'stale_no_effect' }
  }

  async verify({ idempotencyKeys }: Verify<Removal>): Promise<Verified<Removal>> {
    const removals = await this.archive.removalsUnder(idempotencyKeys)
    const [found] = removals
    if (found === undefined) return { status: 'provisional_absence', identity: idempotencyKeys }
    const facts = { '/record': found.record }
    return { status: 'verified_completion', identity: found.key, matches: removals.length, facts }
  }
}

/** The world around the archive. */
export function archiveWorld(archive: Archive): ActionWorld<Removal> {
  return {
    command: async () => ({ record: archive.make(), owner: OWNER }),
    effects: async ({ record }) => archive.removals.filter((one) => one.record === record).length,
    writes: async () => archive.writes,
    changes: { 'another version': async ({ record }) => archive.change(record) },
    beforeNextWrite(act) {
      archive.beforeWrite = act
    },
    faults: {
      async commit_then_drop() {
        archive.losesAnswer = true
      },
      async drop_before_commit() {
        archive.losesRequest = true
      },
      async lagging_reads() {
        archive.isLate = true
      },
      async truncated() {
        archive.isCutOff = true
      },
      async outage() {
        archive.isDown = true
      },
    },
    async heal() {
      archive.isDown = false
    },
    duplicate: async ({ record }, key) => void archive.removals.push({ record, key }),
    async alter(_command, key) {
      archive.removals = archive.removals.map((one) => (one.key === key ? { record: 'RECORD-0', key } : one))
    },
    removes: true,
    removeElsewhere: async ({ record }) => archive.removeUnder(record, null),
    secrets: [OWNER],
  }
}
