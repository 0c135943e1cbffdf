// The commands on a PostgreSQL database: made, shown, looked through and served, and its password never repeated.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { POSTGRES_ROLES, postgresGrants } from '../../src/postgres.ts'
import { newDatabase } from './new-database.ts'
import { countersign, folder } from './run-countersign.ts'
import { approvedRefund, startServe } from './served.ts'

const PASSWORD = 'only-for-tests'

describe('a PostgreSQL database', () => {
  let url = ''
  let shown = ''
  let keys = ''
  beforeAll(async () => {
    url = await newDatabase('commands')
    shown = url.replace(/\/\/[^@]*@/u, '//')
    const cwd = mkdtempSync(join(tmpdir(), 'countersign-cli-'))
    await countersign(['keys', 'new', 'k'], { cwd })
    keys = readFileSync(join(cwd, 'k'), 'utf8')
    rmSync(cwd, { recursive: true })
  })

  it('is looked at before it is a store', async () => {
    const env = { DATABASE_URL: url, COUNTERSIGN_KEYS: keys }

    const dry = await countersign(['migrate', '--dry-run'], { env })
    const doctor = await countersign(['doctor'], { env })

    expect(dry).toMatchObject({ exitCode: 0, stderr: '' })
    expect(dry.stdout).toContain('create function proposals_erased()')
    expect(doctor.exitCode).not.toBe(0)
    expect(doctor.stdout).toContain('0001_initial')
  })

  it('is migrated once, found good, and never named with its password', async () => {
    const env = { DATABASE_URL: url, COUNTERSIGN_KEYS: keys }

    const first = await countersign(['migrate'], { env })
    const second = await countersign(['migrate', '--json'], { env })
    const doctor = await countersign(['doctor'], { env })

    expect(first.stdout).toBe(`${shown}: ran 0001_initial.\n`)
    expect(JSON.parse(second.stdout)).toEqual({ database: shown, dryRun: false, migrations: [] })
    expect(doctor).toMatchObject({ exitCode: 0, stderr: '' })
    expect([first, second, doctor].map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(PASSWORD)
  })

  it('has its grants printed without being asked', async () => {
    const run = await countersign(['migrate', '--grants', '--db', 'postgres://nobody@nowhere.invalid/app'])

    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    expect(run.stdout).toBe(
      postgresGrants('countersign', POSTGRES_ROLES)
        .map((sql) => `${sql};\n`)
        .join(''),
    )
  })

  it('that cannot be reached is told by its sentence alone', async () => {
    const run = await countersign(['doctor', '--db', `postgres://u:${PASSWORD}@127.0.0.1:1/d`], {
      env: { COUNTERSIGN_KEYS: keys },
    })

    expect(run.exitCode).toBe(2)
    expect(run.stdout).toContain('The database cannot be reached.')
    expect(run.stdout + run.stderr).not.toContain(PASSWORD)
  })

  it('is served, and what was approved on it is sent', async () => {
    const server = await startServe({
      cwd: folder(),
      env: { DATABASE_URL: await newDatabase('served'), COUNTERSIGN_KEYS: keys },
    })
    const ref = await approvedRefund(server)

    const executed = await server.ask(`/v1/proposals/${ref}/execute`, 'requester', {})

    expect(executed).toMatchObject({ status: 202, body: { outcome: 'verification_pending' } })
    expect(server.line + server.log()).not.toContain(PASSWORD)
  })
})
