// Table K, and races of real processes on one database: killed at every step, nothing is made twice and nothing is lost from sight.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { VerificationResult } from '../../src/effect/answer.ts'
import { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import type { VerifyAction } from '../../src/runtime/calls/operation.ts'
import { localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { CommitFaults } from '../../src/testing/commit-faults.ts'
import { type Child, startChild } from '../store/processes/child.ts'
import { approved } from '../runtime/execution-world.ts'
import { reference } from '../runtime/harness.ts'
import { TestAction } from '../runtime/refund.ts'
import { TENANT } from '../runtime/sessions.ts'
import { openPostgres } from '../store/postgres-fixture.ts'
import { errorOf, never } from './bench.ts'
import { openShared, type SharedSchema } from './processes/shared-store.ts'

const call = { request: { amountCents: 2_500 }, idempotencyKey: 'order-123', providerReference: 'order-123' }

const DATABASES = ['file', 'PostgreSQL database'] as const
type Database = (typeof DATABASES)[number]

interface Folder {
  /** Of the store, as `openShared` takes it. */
  readonly place: string
  readonly calls: string
  readonly charges: string
}

async function newFolder(database: Database): Promise<Folder> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-calls-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [calls, charges] = [join(folder, 'calls'), join(folder, 'charges')]
  for (const file of [calls, charges]) writeFileSync(file, '')
  const place = database === 'file' ? join(folder, 'store.db') : JSON.stringify(await newSchema())
  return { place, calls, charges }
}

async function newSchema(): Promise<SharedSchema> {
  const { url, schema, close } = await openPostgres()
  onTestFinished(close)
  return { url, schema }
}

const linesOf = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')

async function openStore(place: string): Promise<Store> {
  const store = await openShared(place)
  onTestFinished(() => store.close())
  return store
}

interface Crash {
  readonly id: string
  readonly at: string
  readonly calls: number
  readonly charges: number
  readonly left: object | null
  readonly wayOut: 'call' | 'release' | 'recover' | 'replay'
}

const unstarted = { state: 'PENDING', attempts: [] }
const open = { state: 'PENDING', finalStatus: null, attempts: [{ number: 1, executionStatus: null }] }

const TABLE_K: readonly Crash[] = [
  { id: 'K1', at: 'before claim', calls: 0, charges: 0, left: null, wayOut: 'call' },
  { id: 'K2', at: 'after claim', calls: 0, charges: 0, left: unstarted, wayOut: 'release' },
  { id: 'K2', at: 'before start_attempt', calls: 0, charges: 0, left: unstarted, wayOut: 'release' },
  { id: 'K3', at: 'after start_attempt', calls: 0, charges: 0, left: open, wayOut: 'recover' },
  { id: 'K4', at: 'in the call', calls: 1, charges: 0, left: open, wayOut: 'recover' },
  { id: 'K5', at: 'after the charge', calls: 1, charges: 1, left: open, wayOut: 'recover' },
  { id: 'K5', at: 'before complete', calls: 1, charges: 1, left: open, wayOut: 'recover' },
  {
    id: 'K6',
    at: 'after complete',
    calls: 1,
    charges: 1,
    left: { state: 'COMPLETED', finalStatus: 'CONFIRMED' },
    wayOut: 'replay',
  },
  {
    id: 'K7',
    at: 'in the verifier',
    calls: 1,
    charges: 1,
    left: { state: 'PENDING', attempts: [{ executionStatus: 'UNKNOWN', retryDecision: null }] },
    wayOut: 'recover',
  },
]

describe.each(DATABASES)('a process that is killed on a %s', (database) => {
  it.each(TABLE_K)('evidence $id $at leaves what is known, and the way out is to $wayOut', async (crash) => {
    const folder = await newFolder(database)
    const child = startChild(new URL('./processes/killed.ts', import.meta.url), [
      folder.place,
      folder.calls,
      folder.charges,
      crash.at,
    ])
    expect((await child.exited).signal).toBe('SIGKILL')

    expect([linesOf(folder.calls).length, linesOf(folder.charges).length]).toEqual([crash.calls, crash.charges])
    const runner = new ActionRunner({ store: await openStore(folder.place) })
    const left = await runner.find('charge', 'order-123')
    expect([left]).toMatchObject([crash.left])
    // Whoever is gone, its call is not made by others before the way out is taken.
    const isBarred = crash.wayOut === 'release' || crash.wayOut === 'recover'
    const told = isBarred ? await errorOf(runner.execute('charge', never, call)) : { code: 'action_in_progress' }
    expect(told).toMatchObject({ code: 'action_in_progress' })

    const status = await wayOut(crash.wayOut, runner, left?.actionId ?? '', folder)

    expect(status).toBe(crash.wayOut === 'recover' && crash.charges === 0 ? 'FAILED' : 'CONFIRMED')
    expect(linesOf(folder.charges).length).toBe(status === 'CONFIRMED' ? 1 : 0)
  })
})

async function wayOut(way: Crash['wayOut'], runner: ActionRunner, actionId: string, folder: Folder): Promise<string> {
  if (way === 'release') await runner.releaseUnstarted(actionId)
  if (way === 'recover') return (await runner.recoverPending(actionId, chargesOf(folder))).status
  const operation = (): void => writeFileSync(folder.charges, 'order-123\n')
  const result = await runner.execute('charge', way === 'replay' ? never : operation, call)
  expect(result.replayed).toBe(way === 'replay')
  return result.status
}

/** Reads the provider's books; the process that wrote them is dead, so nothing is on its way. */
function chargesOf({ charges }: Folder): VerifyAction {
  return ({ providerReference }) => {
    const bound = { verifiedProviderReference: providerReference }
    const isThere = existsSync(charges) && linesOf(charges).includes(providerReference ?? '')
    return isThere ? VerificationResult.confirmed(bound) : VerificationResult.absent({ ...bound, retrySafe: true })
  }
}

const ROUNDS = 15

interface Racetrack extends Folder {
  readonly store: Store
  readonly race: (first: string, second: string) => Promise<readonly (string | null)[]>
}

async function openRacetrack(database: Database): Promise<Racetrack> {
  const folder = await newFolder(database)
  const store = await openStore(folder.place)
  const program = new URL('./processes/racing.ts', import.meta.url)
  const children = [0, 1].map(() => startChild(program, [folder.place, folder.calls]))
  await ready(children)
  return { ...folder, store, race: (...lines) => together(children, lines) }
}

async function ready(children: readonly Child[]): Promise<void> {
  onTestFinished(async () => {
    for (const child of children) child.process.stdin?.end()
    await Promise.all(children.map(async (child) => child.exited))
  })
  for (const child of children) expect(await child.line()).toBe('ready')
}

async function together(children: readonly Child[], lines: readonly string[]): Promise<readonly (string | null)[]> {
  for (const [index, child] of children.entries()) child.say(lines[index] ?? '')
  return Promise.all(children.map(async (child) => child.line()))
}

describe.each(DATABASES)('two processes on one %s', (database) => {
  it('evidence I4 that make one call at the same moment make it once, time after time', async () => {
    const { race, calls } = await openRacetrack(database)
    for (let round = 1; round <= ROUNDS; round += 1) {
      const told = await race(`execute charge order-${round}`, `execute charge order-${round}`)

      expect(told.filter((one) => one === 'CONFIRMED')).toHaveLength(1)
      expect(told.filter((one) => one === 'action_in_progress' || one === 'replayed CONFIRMED')).toHaveLength(1)
      expect(linesOf(calls)).toHaveLength(round)
    }
  })

  it('evidence U4 of which one starts and one releases: one of the two wins, time after time', async () => {
    const { race, calls, store } = await openRacetrack(database)
    for (let round = 1; round <= ROUNDS; round += 1) {
      const faults = new CommitFaults()
      faults.atStep('start_attempt', 'refused')
      const gone = new ActionRunner({ store: faults.over(store), claimLeaseMs: 1 })
      const key = `order-${round}`
      await errorOf(gone.execute('charge', never, { request: { key }, idempotencyKey: key }))
      const receipt = await gone.find('charge', key)
      const before = linesOf(calls).length

      const [executed, released] = await race(`execute charge ${key}`, `release - ${receipt?.actionId}`)

      const made = linesOf(calls).length - before
      const after = await gone.find('charge', key)
      // Released first, the key is free, and the call may have been claimed anew.
      const isSound =
        (executed === 'CONFIRMED' && made === 1 && after?.finalStatus === 'CONFIRMED') ||
        (executed === 'action_claim_lost' && made === 0 && after === null) ||
        (executed === 'action_in_progress' && made === 0 && released === 'released' && after === null)
      expect([isSound, executed, released, made]).toEqual([true, executed, released, made])
      expect(released === 'released' || after?.actionId === receipt?.actionId).toBe(true)
    }
  })

  it('trace S13: of which one makes a guarded call and one executes a proposal: one of the two is made', async () => {
    const folder = await newFolder(database)
    const store = await openStore(folder.place)
    const keys = newKeyringText()
    const action = new TestAction({ now: () => Date.now() })
    const runtime = await ProposalRuntime.open({ store, keyring: localKeyring(keys), actions: [action] })
    const children = [
      startChild(new URL('../runtime/racing-process.ts', import.meta.url), [folder.place, keys, folder.charges]),
      startChild(new URL('./processes/racing.ts', import.meta.url), [folder.place, folder.calls, TENANT]),
    ]
    await ready(children)
    for (let round = 1; round <= ROUNDS; round += 1) {
      const command = {
        orderReference: 'ORD-1001',
        intent: `round ${round}`,
        amount: { amount: '10.00', currency: 'EUR' },
      }
      const ref = await approved(runtime, { action: action.contract.type, command })
      const stored = await store.proposal(reference(TENANT), reference(ref))
      const effect = stored?.kind === 'live' ? stored.proposal.effect : null

      const told = await together(children, [ref, `execute ${effect?.domain} ${effect?.reference}`])

      expect(told.filter((one) => one === 'effect_kind_conflict')).toHaveLength(1)
      expect(linesOf(folder.calls).length + linesOf(folder.charges).length).toBe(round)
    }
  })
})
