// countersign migrate: makes a new file a store, shows its SQL, and leaves a file that is there as it is.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { countersign, folder } from './run-countersign.ts'

it('a dry run prints the SQL and changes nothing', async () => {
  const cwd = folder()

  const run = await countersign(['migrate', '--dry-run', '--db', 'store.db'], { cwd })

  expect(run).toMatchObject({ exitCode: 0, stderr: '' })
  expect(run.stdout).toMatch(/^-- 0001_\S+, SHA-256 [0-9a-f]{64}\n/)
  expect(run.stdout).toContain('create table "proposals"')
  expect(existsSync(join(cwd, 'store.db'))).toBe(false)
})

it('a file that is new becomes a store, and is left alone the next time', async () => {
  const cwd = folder()

  const first = await countersign(['migrate'], { cwd, env: { DATABASE_URL: 'store.db' } })
  const before = readFileSync(join(cwd, 'store.db'))
  const second = await countersign(['migrate', '--db', 'store.db'], { cwd })

  expect(first.stdout).toMatch(/^store\.db: ran 0001_\S+\.\n$/)
  expect(second.stdout).toBe('store.db has the schema of this version.\n')
  expect(readFileSync(join(cwd, 'store.db'))).toEqual(before)
  await (await sqliteStore(join(cwd, 'store.db'))).close()
})

it('--json says what ran', async () => {
  const { stdout } = await countersign(['migrate', '--json', '--db', 'store.db'], { cwd: folder() })

  expect(JSON.parse(stdout)).toMatchObject({ database: 'store.db', dryRun: false, migrations: [{ statements: {} }] })
  expect(stdout.trimEnd()).not.toContain('\n')
})
