// Deliveries between real processes, each of which is killed in the middle: nothing is skipped, and the order is kept.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../../src/runtime/ports.ts'
import { SAMPLE_TENANT } from '../../../src/testing/store-conformance/sample-proposals.ts'
import { moved, prepared } from '../../../src/testing/store-conformance/steps.ts'
import { openPostgres } from '../../store/postgres-fixture.ts'
import { type Child, startChild } from '../../store/processes/child.ts'
import { openSqlite } from '../../store/sqlite-fixture.ts'

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
/** So many are prepared before anything is killed, while it is, and after it. */
const PROPOSALS = 4
/** Of each proposal. */
const EVENTS = 3
const RECEIVER = new URL('./processes/receiver.ts', import.meta.url)
const DELIVERER = new URL('./processes/deliverer.ts', import.meta.url)

/** What the receiver wrote down of a message. */
interface Received {
  readonly id: string
  readonly type: string
  readonly data: { readonly proposal: string; readonly revision: number }
  readonly forged?: true
}

it.each(['SQLite', 'PostgreSQL'])(
  'invariant I29 receiver and deliverers are killed in the middle: every event arrives, in order per proposal (%s)',
  async (engine) => {
    const { store, database, schema } = await openedOn(engine)
    const folder = mkdtempSync(join(tmpdir(), 'countersign-receiver-'))
    const file = join(folder, 'received')
    writeFileSync(file, '')
    const children: Child[] = []
    const start = (program: URL, args: readonly string[]): Child => {
      const child = startChild(program, args)
      children.push(child)
      return child
    }
    onTestFinished(async () => {
      for (const child of children) child.process.kill('SIGKILL')
      await Promise.all(children.map(({ exited }) => exited))
      rmSync(folder, { recursive: true, force: true })
    })
    const received = (): Received[] => {
      const lines = readFileSync(file, 'utf8').split('\n')
      return lines.slice(0, -1).map((line) => JSON.parse(line) as Received)
    }
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await pause(5)
    }

    let receiver = start(RECEIVER, [file, '0', SECRET])
    const port = await receiver.line()
    const args = [database, schema, `http://127.0.0.1:${port}/hook`, SECRET]
    const [first] = [start(DELIVERER, args), start(DELIVERER, args)]
    await write(store)
    await until(() => received().length >= 4)
    receiver.process.kill('SIGKILL')
    await receiver.exited
    await write(store)
    const before = received().length
    first?.process.kill('SIGKILL')
    await first?.exited
    receiver = start(RECEIVER, [file, String(port), SECRET])
    await receiver.line()
    start(DELIVERER, args)
    await until(() => received().length > before)
    await write(store)

    const events = await store.events(SAMPLE_TENANT, 0, 200)
    expect(events).toHaveLength(3 * PROPOSALS * EVENTS)
    const ids = (): Set<string> => new Set(received().map(({ id }) => id))
    await until(() => ids().size >= events.length)

    const all = received()
    expect(all.filter(({ forged }) => forged === true)).toEqual([])
    expect(ids().size).toBe(events.length)
    for (const proposal of new Set(events.map((event) => event.proposal))) {
      const firsts = new Map<string, string>()
      for (const { id, data } of all) {
        if (data.proposal === proposal && !firsts.has(id)) firsts.set(id, `${data.revision}`)
      }
      const committed = events.filter((event) => event.proposal === proposal)
      expect([...firsts.values()]).toEqual(committed.map(({ revision }) => String(revision)))
    }
  },
)

/** Proposals that change while what happened to them before is delivered. */
async function write(store: Store): Promise<void> {
  for (let index = 0; index < PROPOSALS; index += 1) {
    const live = await prepared(store)
    await moved(store, await moved(store, live, 'approved'), 'withdrawn')
  }
}

async function openedOn(engine: string): Promise<{ store: Store; database: string; schema: string }> {
  if (engine === 'SQLite') {
    const { store, path, close } = await openSqlite({ busyTimeoutMs: 60_000 })
    onTestFinished(close)
    return { store, database: path, schema: '' }
  }
  const { store, url, schema, close } = await openPostgres()
  onTestFinished(close)
  return { store, database: url, schema }
}
