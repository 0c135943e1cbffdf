// The doctor: looks at everything that must be right before a store is worked with, and at everything that it holds.
import { existsSync } from 'node:fs'
import process from 'node:process'
import type { Store } from '../../runtime/ports.ts'
import { systemClock } from '../../runtime/system-clock.ts'
import { loadPostgres } from '../../store/postgres-library.ts'
import { migratePostgres } from '../../store/postgres-store.ts'
import { loadSqlite } from '../../store/sqlite-library.ts'
import { migrateSqlite } from '../../store/sqlite-store.ts'
import type { Answer } from '../answer.ts'
import { isPostgres, openDatabase, openKeys, shown } from '../database.ts'
import { EXIT } from '../exit-codes.ts'
import { CHECKS, type Check, check, sentenceOf } from './check.ts'
import { lookAtKeys } from './look-at-keys.ts'
import { lookAtRestores } from './look-at-restores.ts'
import { type Finding, type LookedThrough, lookThrough } from './look-through.ts'

/** How far the store's clock, or an instant that another server put on record, may be from this machine's clock. */
const SKEW_MAX_MS = 5_000

/** Changes nothing. Exits as `unavailable` where the database could not be opened, so that what it holds is not known. */
export async function doctor(
  database: string,
  files: { readonly keys: string | undefined; readonly witness: string | null },
): Promise<Answer> {
  const installed = [
    check('node', true, `Node ${process.versions.node}.`),
    await tried('driver', async () => driver(database)),
  ]
  const before = hasFailed(installed) ? installed : [...installed, ...(await fileChecks(database))]
  if (hasFailed(before)) return told(before, [], EXIT.unavailable)
  const store = await openDatabase(database)
  try {
    const keys = await tried('keys', async () => lookAtKeys(store, await openKeys(files.keys, database)))
    const restore = await tried('restore', async () => lookAtRestores(store, files.witness))
    const { more, findings } = await contents(store)
    const checks = [...before, keys, restore, ...more]
    return told(checks, findings, hasFailed(checks) ? EXIT.failed : EXIT.good)
  } finally {
    await store.close()
  }
}

function driver(database: string): Check {
  if (isPostgres(database)) {
    loadPostgres()
    return check('driver', true, 'pg is there.')
  }
  loadSqlite()
  return check('driver', true, 'better-sqlite3 is there.')
}

async function fileChecks(database: string): Promise<readonly Check[]> {
  const isOnServer = isPostgres(database)
  if (!isOnServer && !existsSync(database))
    return [check('database', false, `The database file ${database} does not exist.`)]
  try {
    const { migrations } = isOnServer
      ? await migratePostgres({ url: database, dryRun: true })
      : await migrateSqlite(database, { dryRun: true })
    const names = migrations.map(({ name }) => name)
    const pending = names.length === 0 ? 'All have run.' : `To be run by "countersign migrate": ${names.join(', ')}.`
    return [
      check('database', true, `${shown(database)} is a store of this library.`),
      check('migrations', names.length === 0, pending),
    ]
  } catch (error) {
    return [check('database', false, sentenceOf(error))]
  }
}

async function contents(
  store: Store,
): Promise<{ readonly more: readonly Check[]; readonly findings: readonly Finding[] }> {
  const now = systemClock.now()
  const storeSkewMs = Math.abs((await store.now()) - now)
  const looked = await lookThrough(store, now)
  const { findings } = looked
  return { findings, more: [clock(looked, now, storeSkewMs), summary('receipts', looked), summary('evidence', looked)] }
}

// Of a file the store's clock is this machine's, which can only be held against what was written by it, or by others.
function clock({ newestAt }: LookedThrough, now: number, storeSkewMs: number): Check {
  const aheadMs = newestAt - now
  if (storeSkewMs > SKEW_MAX_MS) return check('clock', false, `The store's clock is ${seconds(storeSkewMs)} s off.`)
  if (aheadMs <= SKEW_MAX_MS) return check('clock', true, 'Nothing on record is later than now.')
  return check('clock', false, `The record is ${seconds(aheadMs)} s ahead of this machine's clock.`)
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000)
}

const SUBJECTS = { receipts: 'The chains of receipts', evidence: 'Status and evidence' } as const

function summary(name: Finding['check'], { tenants, proposals, findings }: LookedThrough): Check {
  const own = findings.filter((finding) => finding.check === name).length
  const seen = `proposals: ${proposals}, tenants: ${tenants}`
  return check(name, own === 0, `${SUBJECTS[name]} ${own === 0 ? 'are whole' : `have problems: ${own}`} (${seen}).`)
}

async function tried(name: Check['name'], look: () => Promise<Check>): Promise<Check> {
  try {
    return await look()
  } catch (error) {
    return check(name, false, sentenceOf(error))
  }
}

function hasFailed(checks: readonly Check[]): boolean {
  return checks.some(({ state }) => state === 'failed')
}

function told(carriedOut: readonly Check[], findings: readonly Finding[], exit: Answer['exit']): Answer {
  const checks = CHECKS.map((name): Check => {
    return carriedOut.find((one) => one.name === name) ?? { name, state: 'skipped', detail: 'Nothing can be said.' }
  })
  return {
    exit,
    data: { checks, findings },
    lines: [
      ...checks.map(({ name, state, detail }) => `${state.padEnd(8)}${name.padEnd(12)}${detail}`),
      ...findings.map(({ tenant, proposal, problem }) => `problem ${tenant} ${proposal ?? '-'}: ${problem}`),
    ],
  }
}
