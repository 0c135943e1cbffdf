// countersign keys: files that only their owner reads, keys that are added, and stored keys that are wrapped anew.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { countersign, folder } from './run-countersign.ts'
import { storedProposals } from './stores.ts'

describe('keys', () => {
  it('new makes a file of mode 0600, never over another one, and prints no key', async () => {
    const cwd = folder()

    const made = await countersign(['keys', 'new', 'my.keys'], { cwd })
    const text = readFileSync(join(cwd, 'my.keys'), 'utf8')
    const again = await countersign(['keys', 'new', 'my.keys'], { cwd })

    expect(made.exitCode).toBe(0)
    expect(made.stdout).toBe(
      "Made my.keys. Keep it apart from the database's backups: together they open everything.\n",
    )
    expect(statSync(join(cwd, 'my.keys')).mode & 0o777).toBe(0o600)
    expect(() => localKeyring(text)).not.toThrow()
    expect(again).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'countersign: The key file my.keys exists; it is not overwritten.\n',
    })
    expect(readFileSync(join(cwd, 'my.keys'), 'utf8')).toBe(text)
  })

  it('add and rotate wrap everything that is stored under the new key', async () => {
    const { cwd, db, keys } = await storedProposals()

    const added = await countersign(['keys', 'add', keys, '--json'], { cwd })
    const rotated = await countersign(['keys', 'rotate', '--db', db, '--json'], { cwd })
    const again = await countersign(['keys', 'rotate', '--db', db], { cwd })

    expect(JSON.parse(added.stdout)).toEqual({ file: keys, version: 'k2' })
    // Of the four proposals one is erased: its key is destroyed.
    expect(JSON.parse(rotated.stdout)).toEqual({ version: 'k2', rewrapped: 3, failed: [], stillUnder: [] })
    expect(again).toEqual({ exitCode: 0, stdout: 'Wrapped 0 keys anew under k2.\n', stderr: '' })
  })

  it('rotate takes the keys from the environment, and exits with 1 while any key could not be wrapped anew', async () => {
    const { cwd, db, keys } = await storedProposals()
    const [reference = ''] = readFileSync(keys, 'utf8').split('\n')
    await countersign(['keys', 'new', 'fresh.keys'], { cwd })
    const [, fresh = ''] = readFileSync(join(cwd, 'fresh.keys'), 'utf8').split('\n')

    const env = { COUNTERSIGN_KEYS: `${reference},${fresh.replace('k1=', 'k2=')}` }
    const { exitCode, stdout } = await countersign(['keys', 'rotate', '--db', db], { cwd, env })

    expect(exitCode).toBe(1)
    expect(stdout).toContain('under k1, which is missing.\n')
    expect(stdout).toContain('Still in use: k1. Keep it, and rotate again.\n')
  })

  it('a weak key is refused by its place, never by what it is', async () => {
    const weak = Buffer.alloc(32, 'a').toString('base64url')

    const run = await countersign(['keys', 'rotate'], { env: { COUNTERSIGN_KEYS: `reference=${weak}` } })

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toContain('Entry 1 of the keyring is a weak key')
    expect(run.stderr).not.toContain(weak)
  })
})
