// How the command is called wrongly: one sentence on standard error, exit code 64, and nothing done.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countersign, folder } from './run-countersign.ts'

const SECRET = 'sesame-secret'

describe('a command that is called wrongly', () => {
  it.each([
    [[], 'Name a command; --help lists them.'],
    [['keys'], 'Name a command; --help lists them.'],
    [['nonsense'], "Unknown command 'nonsense'."],
    [['keys', 'nonsense'], "Unknown command 'nonsense'."],
    [['--nonsense'], "Unknown option '--nonsense'."],
    [['doctor', '--nonsense'], "Unknown option '--nonsense'."],
    [['migrate', 'here'], "Too many arguments for 'migrate'. Expected 0 arguments but got 1."],
    [['keys', 'new'], "Missing required argument 'file'."],
    [['keys', 'new', 'a', 'b'], "Too many arguments for 'new'. Expected 1 argument but got 2."],
    [['migrate', '--db'], "Option '--db <file>' argument missing."],
    [
      ['migrate', '--db', `mysql://u:${SECRET}@h/d`],
      'The database must be named by the path of its file, or by its postgres:// address.',
    ],
    [['migrate', '--grants', '--db', 'x.db'], '--grants is for a PostgreSQL database: a file has no roles.'],
    [['doctor', `--token=${SECRET}`], "Unknown option '--token=…'."],
    [['receipts', 'verify'], "Missing required argument 'file'."],
    [
      ['receipts', 'verify', 'f', '--head', 'x'],
      'The head must be the sequence and the hash of a receipt, as in 3:9f86….',
    ],
    [['receipts', 'export', 'p', '--db', 'x.db'], 'A database file needs --tenant.'],
    [['receipts', 'export', 'p', '--tenant', 't'], '--tenant is for a database file, with --db.'],
    [['receipts', 'export', 'p'], 'COUNTERSIGN_TOKEN must hold your token.'],
    [['proposals', 'list'], 'COUNTERSIGN_TOKEN must hold your token.'],
    [['proposals', 'show'], "Missing required argument 'proposal'."],
    [['proposals', 'approve', 'p'], "Required option '--commitment <commitment>' not specified."],
    [['proposals', 'erase', 'p'], "Required option '--reason <code>' not specified."],
    [
      ['proposals', 'list', '--limit', 'x'],
      "Option '--limit <number>' argument 'x' is invalid. It must be a whole number.",
    ],
    [['proposals', 'execute', 'p', '--token', SECRET], "Unknown option '--token'."],
  ])('countersign %j: %s', async (args, sentence) => {
    const cwd = folder()

    const run = await countersign(args, { cwd })

    expect(run).toEqual({ exitCode: 64, stdout: '', stderr: `countersign: ${sentence}\n` })
    expect(readdirSync(cwd)).toEqual([])
  })

  it.each([
    [{ COUNTERSIGN_TOKEN: 'two words' }, 'COUNTERSIGN_TOKEN must be of visible characters.'],
    [
      { COUNTERSIGN_TOKEN: SECRET, COUNTERSIGN_URL: `https://u:${SECRET}@h` },
      'COUNTERSIGN_URL cannot be used. The address of the server must not hold credentials.',
    ],
    [
      { COUNTERSIGN_TOKEN: SECRET, COUNTERSIGN_URL: 'http://approvals.example.test' },
      'COUNTERSIGN_URL cannot be used. The address of the server must be https:// unless it is on this machine.',
    ],
  ])('an environment %j: %s', async (env, sentence) => {
    const run = await countersign(['proposals', 'list'], { env })

    expect(run).toEqual({ exitCode: 64, stdout: '', stderr: `countersign: ${sentence}\n` })
  })

  it('an address of a database in the environment is refused without being repeated', async () => {
    const run = await countersign(['doctor'], { env: { DATABASE_URL: `mysql://u:${SECRET}@h/d` } })

    expect(run.exitCode).toBe(64)
    expect(run.stderr).not.toContain(SECRET)
  })
})

describe('what cannot be loaded', () => {
  it.each([
    [['keys', 'rotate', '--db', 'no.db', '--keys', 'no.keys'], 'The key file no.keys does not exist.'],
    [['keys', 'add', 'no.keys'], 'The key file no.keys is missing'],
    [['keys', 'new', 'no/such/folder.keys'], 'The folder no/such of the key file does not exist.'],
    [['receipts', 'verify', 'no.json'], 'The file no.json cannot be read.'],
    [['receipts', 'verify', '-'], 'This is no evidence bundle: it is not JSON.'],
    [['receipts', 'export', 'p', '--db', 'no.db', '--tenant', 't'], 'The database file no.db does not exist.'],
    [['migrate', '--db', 'no/such.db'], 'does not exist.'],
    [['migrate', '--db', 'other.txt'], 'The file is not a SQLite database.'],
  ])('countersign %j: %s', async (args, sentence) => {
    const cwd = folder()
    writeFileSync(join(cwd, 'other.txt'), 'something else altogether, and long enough for a header')

    const run = await countersign(args, { cwd })

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toMatch(/^countersign: .*\n$/)
    expect(run.stderr).toContain(sentence)
    expect(readdirSync(cwd)).toEqual(['other.txt'])
  })

  it('shows a stack only with --verbose', async () => {
    const quiet = await countersign(['receipts', 'verify', 'no.json'])
    const verbose = await countersign(['receipts', 'verify', 'no.json', '--verbose'])

    expect(quiet.stderr).not.toContain('at ')
    expect(verbose.stderr.startsWith(quiet.stderr)).toBe(true)
    expect(verbose.stderr).toMatch(/Unavailable: .*\n\s+at /)
  })

  it('a database is not made by looking for one', async () => {
    const cwd = folder()

    await countersign(['doctor', '--db', 'new.db'], { cwd })

    expect(existsSync(join(cwd, 'new.db'))).toBe(false)
  })
})

describe('what is written', () => {
  it('has no colour when it is piped', async () => {
    const runs = await Promise.all([countersign(['--help'], { env: { FORCE_COLOR: '' } }), countersign(['doctor'])])

    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain('\u001B')
  })

  it('shows what is invisible, also in an error', async () => {
    const run = await countersign(['receipts', 'verify', 'a\u202Eb\u001B[31m.json'])

    expect(run.stderr).toBe('countersign: The file a\\u{202e}b\\u{1b}[31m.json cannot be read.\n')
  })
})
