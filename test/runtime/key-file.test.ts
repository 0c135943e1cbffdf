// Key files: made once and whole, added to without losing anything, read by nobody else, and followed while they are used.
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addKeyToFile, createKeyFile } from '../../src/runtime/keys/key-file.ts'
import { keyringFile } from '../../src/runtime/keys/keyring-file.ts'
import { localKeyring, newKeyringText, withNewKey } from '../../src/runtime/keys/local-keyring.ts'
import type { Keyring } from '../../src/runtime/ports.ts'
import { refused } from './harness.ts'

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-keys-'))
  path = join(folder, 'keys')
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

const modeOf = (file: string): number => statSync(file).mode & 0o777
const versionOf = async (keyring: Keyring): Promise<string> => (await keyring.current()).version
const names = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0] ?? '')

describe('a key file', () => {
  it('is made with fresh keys, for its owner alone', async () => {
    await createKeyFile(path)

    expect(modeOf(path)).toBe(0o600)
    expect(names(readFileSync(path, 'utf8'))).toEqual(['reference', 'k1'])
    expect(readdirSync(folder)).toEqual(['keys'])
    expect(await versionOf(await keyringFile(path))).toBe('k1')
  })

  it('is never overwritten', async () => {
    writeFileSync(path, 'whatever is there')

    expect(await refused(createKeyFile(path))).toMatchObject({ code: 'keyring_unusable' })
    await createKeyFile(path, { keep: true })

    expect(readFileSync(path, 'utf8')).toBe('whatever is there')
    expect(readdirSync(folder)).toEqual(['keys'])
  })

  it('that many make at once is one, and all of them use it', async () => {
    const keyrings = await Promise.all(Array.from({ length: 8 }, async () => keyringFile(path, { create: true })))

    const keys = await Promise.all(
      keyrings.map(async (keyring) => Buffer.from(await keyring.referenceKey()).toString('hex')),
    )
    expect(new Set(keys).size).toBe(1)
    expect(readdirSync(folder)).toEqual(['keys'])
  })

  it.each([
    ['in a folder that does not exist', () => join(folder, 'nowhere', 'keys')],
    ['in the place of a folder', () => folder],
  ])('is not made %s', async (_, where) => {
    expect(await refused(createKeyFile(where()))).toMatchObject({ code: 'keyring_unusable' })
  })

  it('is refused when it is missing, or when others can read it', async () => {
    expect(await refused(keyringFile(path))).toMatchObject({ code: 'keyring_unusable' })
    await createKeyFile(path)
    for (const mode of [0o640, 0o604, 0o660, 0o644]) {
      chmodSync(path, mode)
      expect((await refused(keyringFile(path))).message).toContain('0600')
    }
  })
})

describe('adding a key to a file', () => {
  it('makes it the current one, and leaves the others and the reference key as they are', async () => {
    await createKeyFile(path)
    const before = readFileSync(path, 'utf8')

    expect(await addKeyToFile(path)).toEqual({ version: 'k2' })
    expect(await addKeyToFile(path)).toEqual({ version: 'k3' })

    const after = readFileSync(path, 'utf8')
    expect(after.startsWith(before)).toBe(true)
    expect(names(after)).toEqual(['reference', 'k1', 'k2', 'k3'])
    expect([modeOf(path), readdirSync(folder)]).toEqual([0o600, ['keys']])
    expect(await versionOf(await keyringFile(path))).toBe('k3')
  })

  it('keeps what people wrote beside the keys', async () => {
    writeFileSync(path, `# ours\n${newKeyringText()}# the end`, { mode: 0o600 })

    await addKeyToFile(path)

    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect([lines[0], lines[3]]).toEqual(['# ours', '# the end'])
    expect(names(lines[4] ?? '')).toEqual(['k2'])
  })

  it('changes the file that a link leads to, and leaves the link', async () => {
    const real = join(folder, 'real')
    mkdirSync(join(folder, 'links'))
    await createKeyFile(real)
    const link = join(folder, 'links', 'keys')
    symlinkSync(real, link)

    expect(await addKeyToFile(link)).toEqual({ version: 'k2' })

    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(names(readFileSync(real, 'utf8'))).toEqual(['reference', 'k1', 'k2'])
  })

  it('of many who add at once lets one, and loses no key of those it lets', async () => {
    await createKeyFile(path)

    const answers = await Promise.allSettled(Array.from({ length: 6 }, async () => addKeyToFile(path)))

    const added = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.version] : []))
    expect(added.length).toBeGreaterThan(0)
    expect(names(readFileSync(path, 'utf8'))).toEqual(['reference', 'k1', ...added.toSorted()])
    expect(readdirSync(folder)).toEqual(['keys'])
  })

  it('that was interrupted left the file as it was, and says what stands in the way', async () => {
    await createKeyFile(path)
    const before = readFileSync(path, 'utf8')
    writeFileSync(`${path}.new`, 'half wri')

    const error = await refused(addKeyToFile(path))
    expect([error['code'], error.message]).toEqual([
      'keyring_unusable',
      `${path}.new exists: somebody else is adding a key, or was interrupted. Remove it if not.`,
    ])

    expect(readFileSync(path, 'utf8')).toBe(before)
    rmSync(`${path}.new`)
    expect(await addKeyToFile(path)).toEqual({ version: 'k2' })
  })

  it.each<[string, () => void]>([
    ['is missing', () => rmSync(path)],
    ['can be read by others', () => chmodSync(path, 0o644)],
    ['is no keyring', () => writeFileSync(path, 'k1=short\n')],
  ])('to one that %s is refused, and leaves nothing behind', async (_, spoil) => {
    await createKeyFile(path)
    spoil()
    const before = existsSync(path) ? readFileSync(path, 'utf8') : null

    expect(await refused(addKeyToFile(path))).toMatchObject({ code: 'keyring_unusable' })

    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before)
    expect(readdirSync(folder).filter((name) => name !== 'keys')).toEqual([])
  })

  // Only root can give a file away; for everybody else it is theirs before and after.
  it('leaves the file to whom it belongs', async () => {
    await createKeyFile(path)
    const owner = process.getuid?.() === 0 ? 65_534 : statSync(path).uid
    const group = process.getuid?.() === 0 ? 65_534 : statSync(path).gid
    chownSync(path, owner, group)

    await addKeyToFile(path)

    expect([statSync(path).uid, statSync(path).gid, modeOf(path)]).toEqual([owner, group, 0o600])
  })
})

describe('a keyring that is used while its file changes', () => {
  it('wraps under the key that was added, and opens under it', async () => {
    await createKeyFile(path)
    const [server, other] = [await keyringFile(path), await keyringFile(path)]
    await addKeyToFile(path)

    expect(await versionOf(server)).toBe('k2')
    // This one has not wrapped anything since: it learns of the version when it meets it.
    expect((await other.resolve('k2'))?.version).toBe('k2')
    expect((await other.resolve('k1'))?.version).toBe('k1')
  })

  it('says that a version is missing only after it looked', async () => {
    await createKeyFile(path)
    const keyring = await keyringFile(path)

    expect(await keyring.resolve('k2')).toBeNull()
    await addKeyToFile(path)
    expect(await keyring.resolve('k2')).not.toBeNull()
    expect(await keyring.resolve('k3')).toBeNull()
  })

  it.each<[string, () => void]>([
    ['is gone', () => rmSync(path)],
    ['can be read by others', () => chmodSync(path, 0o644)],
    ['is no keyring any more', () => writeFileSync(path, 'nothing', { mode: 0o600 })],
    ['has another reference key', () => writeFileSync(path, withNewKey(newKeyringText()).text)],
  ])('threat T47 goes on with what it has while the file %s, and calls nothing missing', async (_, spoil) => {
    await createKeyFile(path)
    const keyring = await keyringFile(path)
    const reference = await keyring.referenceKey()
    spoil()

    expect(await versionOf(keyring)).toBe('k1')
    expect(await keyring.referenceKey()).toEqual(reference)
    expect(await refused(keyring.resolve('k2'))).toMatchObject({ name: 'KeyUnavailable', answer: 'unavailable' })
  })

  it('follows a file that was put in its place', async () => {
    await createKeyFile(path)
    const keyring = await keyringFile(path)
    const { text } = withNewKey(readFileSync(path, 'utf8'))
    writeFileSync(join(folder, 'next'), text, { mode: 0o600 })
    renameSync(join(folder, 'next'), path)

    expect(await versionOf(keyring)).toBe('k2')
  })
})

describe('the name of a new version', () => {
  const key = (name: string): string =>
    newKeyringText()
      .replace(/^.*\nk1/, name)
      .trim()
  const reference = newKeyringText().split('\n')[0] ?? ''

  it.each([
    ['after k1', ['k1'], 'k2'],
    ['after the highest number', ['k7', 'k2'], 'k8'],
    ['beside names of other kinds', ['prod', 'k.9', 'key3'], 'k1'],
    ['after names of both kinds', ['prod', 'k3'], 'k4'],
  ])('is %s', (_, before, expected) => {
    const text = [reference, ...before.map(key)].join(',')

    const renewed = withNewKey(text)

    expect(renewed.version).toBe(expected)
    expect(() => localKeyring(renewed.text)).not.toThrow()
  })

  it('is the one under which keys are wrapped from then on', async () => {
    const renewed = localKeyring(withNewKey(newKeyringText()).text)

    expect(await versionOf(renewed)).toBe('k2')
    expect((await renewed.resolve('k1'))?.version).toBe('k1')
  })

  it('is not given to a text that is no keyring', () => {
    for (const text of ['', 'reference', `${reference}\n${reference}`, reference]) {
      expect(() => withNewKey(text)).toThrow('keyring')
    }
  })
})
