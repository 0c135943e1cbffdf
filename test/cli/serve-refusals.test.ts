// What `serve` refuses before it listens: one clear line for each thing that is wrong, and an exit code.
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadActionsFile } from '../../src/cli/serve/actions-file.ts'
import { countersign, folder } from './run-countersign.ts'

interface Row {
  readonly title: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly says: string
}

const KEY = 'A'.repeat(43)

const usage: readonly Row[] = [
  {
    title: 'a port that is no number',
    args: ['--port', '80x'],
    says: '--port: It must be a whole number from 0 to 65535.',
  },
  {
    title: 'a port that is too large',
    args: ['--port', '65536'],
    says: '--port: It must be a whole number from 0 to 65535.',
  },
  { title: 'a PORT that is no number', env: { PORT: '-1' }, says: 'PORT: It must be a whole number from 0 to 65535.' },
  {
    title: 'keys that are none',
    env: { COUNTERSIGN_KEYS: `reference=${KEY}` },
    says: 'COUNTERSIGN_KEYS: Entry 1 of the keyring is a weak key; make one with a random generator.',
  },
  {
    title: 'a level that the log does not have',
    env: { LOG_LEVEL: 'loud' },
    says: 'LOG_LEVEL: It must be one of trace, debug, info, warn, error, fatal, silent.',
  },
  {
    title: 'another server of databases in the environment',
    env: { DATABASE_URL: 'mysql://user:secret@db.example/app' },
    says: 'DATABASE_URL: The database must be named by the path of its file, or by its postgres:// address.',
  },
  {
    title: 'PostgreSQL without keys',
    args: ['--db', 'postgresql://db.example/app'],
    says: 'COUNTERSIGN_KEYS: It must hold the keys of a PostgreSQL database, unless the actions bring a keyring.',
  },
  {
    title: 'another address of a database',
    args: ['--db', 'mysql://user:secret@db.example/app'],
    says: '--db: The database must be named by the path of its file, or by its postgres:// address.',
  },
  ...[':memory:', '', 'file:store.db', ' store.db'].map((name) => ({
    title: `what is no path of a database file, as "${name}"`,
    args: ['--db', name],
    says: '--db: The database must be kept in a file, which is named by its path.',
  })),
  {
    title: 'a limit that is no number',
    args: ['--stop-limit', 'soon'],
    says: '--stop-limit: It must be a whole number from 0 to 3600.',
  },
  {
    title: 'the tokens of the example on an address that others can reach',
    args: ['--host', '0.0.0.0'],
    says: '--host: Development tokens are for this machine alone, so the address must be one of loopback, unless --expose says that others may use them.',
  },
  {
    title: 'development on an address that others can reach',
    args: ['--dev', '--actions', 'actions.ts', '--host', '::'],
    says: '--host: Development tokens are for this machine alone, so the address must be one of loopback.',
  },
  {
    title: 'trace S55 development that is to leave this machine',
    args: ['--dev', '--actions', 'actions.ts', '--host', '0.0.0.0', '--expose'],
    says: '--expose: It is for the example; --dev never leaves this machine.',
  },
  {
    title: 'development of nothing',
    args: ['--dev'],
    says: '--dev: It is for --actions; the example always has development tokens.',
  },
  {
    title: 'an option that there is not',
    args: ['--prot', '1'],
    says: "Unknown option '--prot' (Did you mean --port?).",
  },
  { title: 'an argument', args: ['now'], says: "Too many arguments for 'serve'. Expected 0 arguments but got 1." },
]

describe('serve is called wrongly, exits with 64 and makes nothing:', () => {
  it.each(usage)('$title', async ({ args = [], env = {}, says }) => {
    const cwd = folder()

    const run = await countersign(['serve', ...args], { cwd, env })

    expect(run).toEqual({ exitCode: 64, stdout: '', stderr: `countersign: ${says}\n` })
    expect(readdirSync(cwd)).toEqual([])
  })

  it('with one line for each thing', async () => {
    const run = await countersign(['serve', '--port', 'x'], {
      cwd: folder(),
      env: { LOG_LEVEL: 'x', DATABASE_URL: 'postgres:x' },
    })

    expect(run.exitCode).toBe(64)
    expect(run.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^countersign: DATABASE_URL: /),
      expect.stringMatching(/^--port: /),
      expect.stringMatching(/^LOG_LEVEL: /),
    ])
  })
})

/** A module beside the test's other files; what `{action}` stands for is a whole action. */
const action = `const text = { type: 'object' }
const action = { contract: {}, prepare() {}, preview() {}, resolve() {}, execute() {}, verify() {} }
`

const files: readonly { readonly title: string; readonly text: string | null; readonly says: string }[] = [
  { title: 'is missing', text: null, says: 'does not exist.' },
  { title: 'throws', text: "throw new Error('no database\\nhere')", says: 'could not be loaded: Error: no database' },
  { title: 'is no TypeScript', text: 'const = 1', says: 'could not be loaded: SyntaxError: ' },
  {
    title: 'imports what is not there',
    text: "import 'package-that-is-not-there'",
    says: "could not be loaded: Error: Cannot find package 'package-that-is-not-there' imported from ",
  },
  {
    title: 'has no default export',
    text: 'export const actions = []',
    says: 'has no default export; it must be an object with "actions".',
  },
  {
    title: 'exports no object',
    text: 'export default 1',
    says: 'has no default export; it must be an object with "actions".',
  },
  {
    title: 'exports something else',
    text: `${action}export default { actions: [action], authentication: () => null }`,
    says: 'exports more than actions, authenticate, keyring, worker, webhooks: authentication.',
  },
  { title: 'exports no actions', text: 'export default {}', says: 'exports no list of actions under "actions".' },
  {
    title: 'exports an empty list',
    text: 'export default { actions: [] }',
    says: 'exports no list of actions under "actions".',
  },
  {
    title: 'lists a class',
    text: 'export default { actions: [class Refund {}] }',
    says: 'lists something under "actions" that is no action, such as a class.',
  },
  {
    title: 'exports an authenticate that is none',
    text: `${action}export default { actions: [action], authenticate: 'yes' }`,
    says: 'exports an "authenticate" that is no function.',
  },
  {
    title: 'exports a keyring that is a promise',
    text: `${action}export default { actions: [action], keyring: Promise.resolve() }`,
    says: 'exports a "keyring" that is none; an await may be missing.',
  },
  {
    title: 'trace S55 exports no authenticate',
    text: `${action}export default { actions: [action] }`,
    says: 'exports no "authenticate", so nobody could be told from anybody else; --dev serves it to this machine with development tokens.',
  },
]

describe('serve cannot use a file of actions that', () => {
  it.each(files)('$title: one sentence, and exit code 2', async ({ text, says }) => {
    const cwd = folder()
    if (text !== null) writeFileSync(join(cwd, 'actions.ts'), text)

    const { exitCode, stdout, stderr } = await countersign(['serve', '--actions', 'actions.ts', '--port', '0'], {
      cwd,
      env: { LOG_LEVEL: 'silent' },
    })

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/^[^\n]*\n$/)
    expect(stderr).toContain(`countersign: The file actions.ts ${says}`)
  })

  it('does not finish loading: it is given up', async () => {
    const path = join(folder(), 'actions.ts')
    writeFileSync(path, 'await new Promise(() => {})')

    await expect(loadActionsFile(path, { limitMs: 1 })).rejects.toThrow(
      `The file ${path} did not finish loading: it waits for something at its top level.`,
    )
  })

  it('keeps the process busy: it ends all the same', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'actions.ts'), 'setInterval(() => {}, 1_000)')

    const run = await countersign(['serve', '--actions', 'actions.ts'], { cwd })

    expect(run.exitCode).toBe(2)
  })

  it('defines an action that cannot be safe: every reason is said, and the exit code is 2', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'actions.ts'), `${action}export default { actions: [action], authenticate: () => null }`)

    const run = await countersign(['serve', '--actions', 'actions.ts', '--port', '0'], {
      cwd,
      env: { LOG_LEVEL: 'silent' },
    })

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toContain('/type')
  })
})

describe('serve does not start', () => {
  it('on a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as { readonly port: number }

    const run = await countersign(['serve', '--port', String(port)], { cwd: folder(), env: { LOG_LEVEL: 'silent' } })

    expect(run).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `countersign: Port ${port} of 127.0.0.1 is taken by another program; choose another one with --port.\n`,
    })
  })

  it('on a host that is not this machine', async () => {
    const run = await countersign(['serve', '--host', '192.0.2.1', '--port', '0', '--expose'], {
      cwd: folder(),
      env: { LOG_LEVEL: 'silent' },
    })

    expect(run).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('no address of this machine') as string,
    })
  })

  it('on the SQLite file of another program', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'countersign.db'), 'not a database')

    const run = await countersign(['serve', '--port', '0'], { cwd, env: { LOG_LEVEL: 'silent' } })

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toContain('File: ')
  })
})
