// Real processes on one database that execute at the same moment: one call for each effect, whoever makes it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { openPostgres } from '../store/postgres-fixture.ts'
import { type Child, startChild } from '../store/processes/child.ts'
import { approved } from './execution-world.ts'
import { reference } from './harness.ts'
import { TestAction } from './refund.ts'
import { TENANT } from './sessions.ts'

const PROCESSES = 2
const ROUNDS = 20

interface Racetrack {
  readonly store: Store
  /** An approved proposal for the effect of that intent. */
  readonly approve: (intent: string) => Promise<string>
  /** Lets every process execute its proposal at once, and answers what each was told. */
  readonly race: (...refs: readonly string[]) => Promise<readonly (string | null)[]>
  /** Every call that any process made, as effect and attempt. */
  readonly calls: () => readonly string[]
}

async function openRacetrack(database: 'file' | 'PostgreSQL database'): Promise<Racetrack> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-race-'))
  const [calls, keys] = [join(folder, 'calls'), newKeyringText()]
  writeFileSync(calls, '')
  const postgres = database === 'file' ? null : await openPostgres()
  const path = join(folder, 'store.db')
  const store = postgres === null ? await sqliteStore(path) : postgres.store
  const place = postgres === null ? path : JSON.stringify({ url: postgres.url, schema: postgres.schema })
  const action = new TestAction({ now: () => Date.now() })
  const runtime = await ProposalRuntime.open({ store, keyring: localKeyring(keys), actions: [action] })
  const program = new URL('./racing-process.ts', import.meta.url)
  const children: readonly Child[] = Array.from({ length: PROCESSES }, () => startChild(program, [place, keys, calls]))
  onTestFinished(async () => {
    for (const child of children) child.process.stdin?.end()
    await Promise.all(children.map(async (child) => child.exited))
    await (postgres ?? store).close()
    rmSync(folder, { recursive: true, force: true })
  })
  for (const child of children) expect(await child.line()).toBe('ready')
  return {
    store,
    approve: async (intent) => {
      const command = { orderReference: 'ORD-1001', intent, amount: { amount: '10.00', currency: 'EUR' } }
      return approved(runtime, { action: action.contract.type, command })
    },
    async race(...refs) {
      for (const [index, child] of children.entries()) child.say(refs[index] ?? refs[0] ?? '')
      return Promise.all(children.map(async (child) => child.line()))
    },
    calls: () =>
      readFileSync(calls, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split(' ').slice(0, 2).join(' ')),
  }
}

describe.each(['file', 'PostgreSQL database'] as const)('two processes on one %s', (database) => {
  it('that execute one proposal at the same moment make one call, time after time', async () => {
    const { store, approve, race, calls } = await openRacetrack(database)
    for (let round = 1; round <= ROUNDS; round++) {
      const proposal = await approve(`the one of round ${round}`)

      const told = await race(proposal, proposal)

      expect(told).toContain('verification_pending')
      for (const outcome of told) expect(['verification_pending', 'in_progress']).toContain(outcome)
      const stored = await store.proposal(reference(TENANT), reference(proposal))
      expect(stored).toMatchObject({ proposal: { status: 'verification_pending', attempt: 1 } })
      expect(calls()).toHaveLength(round)
    }
    expect(new Set(calls()).size).toBe(ROUNDS)
  })

  it('that execute two proposals of one effect at the same moment make one call, time after time', async () => {
    const { store, approve, race, calls } = await openRacetrack(database)
    for (let round = 1; round <= ROUNDS; round++) {
      const refs = [await approve(`the one of round ${round}`), await approve(`the one of round ${round}`)]

      const told = await race(...refs)

      expect(new Set(told)).toEqual(new Set(['replayed', 'verification_pending']))
      const found = await Promise.all(refs.map(async (ref) => store.proposal(reference(TENANT), reference(ref))))
      const statuses = found.map((one) => (one?.kind === 'live' ? one.proposal.status : null))
      expect(new Set(statuses)).toEqual(new Set(['approved', 'verification_pending']))
      expect(calls()).toHaveLength(round)
    }
    expect(new Set(calls()).size).toBe(ROUNDS)
  })
})
