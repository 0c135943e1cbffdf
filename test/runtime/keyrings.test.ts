// Keyrings of this host: texts and files that are taken, weak ones that are not, and nothing of a key in any message.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toBase64Url } from '../../src/effect/hash.ts'
import { keyringFile } from '../../src/runtime/keys/keyring-file.ts'
import { ephemeralKeyring, KeyringError, localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import { answerOf, openWorld, refused } from './harness.ts'
import { finance1, requester } from './sessions.ts'

const fresh = (): string => toBase64Url(randomBytes(32))
const ring = (...entries: readonly string[]): string => [`reference=${fresh()}`, ...entries].join('\n')
const context = new Uint8Array([1])

describe('a keyring of a text', () => {
  it('has its last key for the current one, and the others for what they once wrapped', async () => {
    const [first, second] = [fresh(), fresh()]
    const before = localKeyring(ring(`k1=${first}`))
    const after = localKeyring(ring(`k1=${first}`, `k2=${second}`))
    const dataKey = new Uint8Array(randomBytes(32))
    const wrapped = await (await before.current()).wrap(dataKey, context)

    expect((await before.current()).version).toBe('k1')
    expect((await after.current()).version).toBe('k2')
    expect(await (await after.resolve('k1'))?.unwrap(wrapped, context)).toEqual(dataKey)
    await expect((await after.current()).unwrap(wrapped, context)).rejects.toHaveProperty('answer', 'damaged')
    expect(await after.resolve('k3')).toBeNull()
    expect(await after.resolve('reference')).toBeNull()
    expect(await after.resolve('constructor')).toBeNull()
  })

  it('may be written in lines or with commas, with spaces around and remarks between', async () => {
    const [reference, key] = [fresh(), fresh()]
    const texts = [
      `reference=${reference}\nk1=${key}\n`,
      `reference=${reference},k1=${key}`,
      `\r\n # the keys of this host\r\n reference=${reference} \r\n\r\n k1=${key} , \r\n`,
      `k1=${key}\nreference=${reference}`,
    ]

    for (const text of texts) {
      const keyring = localKeyring(text)
      expect(toBase64Url(await keyring.referenceKey())).toBe(reference)
      expect((await keyring.current()).version).toBe('k1')
    }
  })

  it('is made new with other keys each time, and works', async () => {
    const texts = [newKeyringText(), newKeyringText()]

    expect(texts[0]).not.toBe(texts[1])
    for (const text of texts) expect(() => localKeyring(text)).not.toThrow()
    const [one, other] = [await ephemeralKeyring().referenceKey(), await ephemeralKeyring().referenceKey()]
    expect(one).not.toEqual(other)
  })

  it.each<[string, string]>([
    ['nothing', ''],
    ['only remarks', '# reference=x\n# k1=y'],
    ['no reference key', `k1=${fresh()}`],
    ['nothing but a reference key', `reference=${fresh()}`],
    ['an entry without a name', ring(`=${fresh()}`)],
    ['an entry without a key', ring('k1=')],
    ['a bare key', ring(fresh())],
    ['a name in capitals', ring(`K1=${fresh()}`)],
    ['a name with a space', ring(`k 1=${fresh()}`)],
    ['a name of 65 characters', ring(`${'k'.repeat(65)}=${fresh()}`)],
    ['a name twice', ring(`k1=${fresh()}`, `k1=${fresh()}`)],
    ['the reference key twice', ring(`reference=${fresh()}`, `k1=${fresh()}`)],
  ])('is not %s', (_title, text) => {
    expect(() => localKeyring(text)).toThrow(KeyringError)
  })

  it('has no key twice, under whatever names', () => {
    const key = fresh()

    expect(() => localKeyring(ring(`k1=${key}`, `k2=${key}`))).toThrow('repeats a key')
    expect(() => localKeyring(`reference=${key}\nk1=${key}`)).toThrow('repeats a key')
  })
})

describe('threat T45: a weak key', () => {
  const bytesOf = (make: (index: number) => number): Uint8Array =>
    Uint8Array.from({ length: 32 }, (_, index) => make(index))

  it.each<[string, string]>([
    ['of zeros', toBase64Url(bytesOf(() => 0))],
    ['of one byte', toBase64Url(bytesOf(() => 0xa7))],
    ['that counts up', toBase64Url(bytesOf((index) => index))],
    ['that counts down', toBase64Url(bytesOf((index) => 255 - index))],
    ['that counts in threes', toBase64Url(bytesOf((index) => 100 + 3 * index))],
    ['that counts across the end of a byte', toBase64Url(bytesOf((index) => 240 + index))],
    ['of two bytes in turn', toBase64Url(bytesOf((index) => (index % 2 === 0 ? 0xde : 0xad)))],
    [
      'of eight bytes again and again',
      toBase64Url(bytesOf((index) => [3, 141, 59, 26, 53, 58, 97, 93][index % 8] ?? 0)),
    ],
    ['that is typed text', toBase64Url(Buffer.from('correct horse battery staple 123'))],
    ['that is hexadecimal text', toBase64Url(Buffer.from('9f86d081884c7d659a2feaa0c55ad015'))],
    ['that is 32 different letters', toBase64Url(Buffer.from('abcdefghijklmnopqrstuvwxyzABCDEF'))],
    ['of 31 bytes', toBase64Url(randomBytes(31))],
    ['of 33 bytes', toBase64Url(randomBytes(33))],
    ['of 16 bytes', toBase64Url(randomBytes(16))],
    ['in hexadecimal', randomBytes(32).toString('hex')],
    ['in the other alphabet of base64, padded', `${'+/'.repeat(21)}8=`],
    ['in base64 with stray bits at its end', `${fresh().slice(0, -1)}_`],
    ['with a space in it', `${fresh().slice(0, 20)} ${fresh().slice(21)}`],
    ['that is a word', 'changeme'],
  ])('threat T45: %s is refused in either place, and not repeated in the message', (_title, key) => {
    for (const text of [ring(`k1=${key}`), `reference=${key}\nk1=${fresh()}`]) {
      const error = thrown(() => localKeyring(text))

      expect(error).toBeInstanceOf(KeyringError)
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toHaveProperty('code', 'keyring_unusable')
      expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain(key)
      expect(error.message).toMatch(/^Entry [12] of the keyring/)
    }
  })

  it('threat T45: ten thousand random keys are all taken', () => {
    for (let nth = 0; nth < 10_000; nth += 1) {
      expect(() => localKeyring(`reference=${fresh()},k1=${fresh()}`)).not.toThrow()
    }
  })
})

describe('a key file', () => {
  it('is made once, for its owner alone, and then stays as it is', async () => {
    const path = join(await folder(), 'countersign.keys')

    const first = await keyringFile(path, { create: true })
    const text = await readFile(path, 'utf8')
    const second = await keyringFile(path, { create: true })
    const third = await keyringFile(path)

    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, 'utf8')).toBe(text)
    const keys = await Promise.all([first, second, third].map(async (keyring) => keyring.referenceKey()))
    expect(new Set(keys.map(toBase64Url)).size).toBe(1)
  })

  it('is made once also by twenty at once, who all get the same keys', async () => {
    const path = join(await folder(), 'countersign.keys')

    const keyrings = await Promise.all(Array.from({ length: 20 }, async () => keyringFile(path, { create: true })))

    const keys = await Promise.all(keyrings.map(async (keyring) => keyring.referenceKey()))
    expect(new Set(keys.map(toBase64Url)).size).toBe(1)
  })

  it('leaves nothing beside it', async () => {
    const where = await folder()
    await Promise.all(Array.from({ length: 5 }, async () => keyringFile(join(where, 'a.keys'), { create: true })))

    expect(await readdir(where)).toEqual(['a.keys'])
  })

  it.each([0o640, 0o604, 0o644, 0o660, 0o666, 0o610, 0o601])('with the mode %o is refused', async (mode) => {
    const path = join(await folder(), 'countersign.keys')
    await keyringFile(path, { create: true })
    await chmod(path, mode)

    const error = await refused(keyringFile(path))

    expect(error).toMatchObject({ name: 'KeyringError', code: 'keyring_unusable' })
    expect(error.message).toBe(`The key file ${path} can be read by others; make its mode 0600.`)
  })

  it('that is missing, a folder, empty or in a folder that is missing is one sentence each', async () => {
    const where = await folder()
    await mkdir(join(where, 'inside'), { mode: 0o700 })
    await writeFile(join(where, 'empty'), '', { mode: 0o600 })
    await symlink(join(where, 'nowhere'), join(where, 'dangling'))

    for (const name of ['missing', 'inside', 'empty', 'dangling', join('no-folder', 'x')]) {
      const error = await refused(keyringFile(join(where, name)))
      expect(error).toMatchObject({ name: 'KeyringError', code: 'keyring_unusable' })
    }
    const error = await refused(keyringFile(join(where, 'no-folder', 'x'), { create: true }))
    expect(error.message).toBe(`The key file ${join(where, 'no-folder', 'x')} cannot be made.`)
  })

  it('that somebody has spoiled tells the entry, and no key', async () => {
    const path = join(await folder(), 'countersign.keys')
    const key = fresh()
    await writeFile(path, `reference=${fresh()}\nk1=${key}x\n`, { mode: 0o600 })

    const error = await refused(keyringFile(path))

    expect(error.message).toBe('Entry 2 of the keyring is not 32 bytes in base64url.')
    expect(error.stack).not.toContain(key)
  })
})

describe('threat T46', () => {
  it('threat T46: what was wrapped before a key was added still opens, and new proposals use the new one', async () => {
    const [reference, first] = [fresh(), fresh()]
    const before = localKeyring(`reference=${reference}\nk1=${first}`)
    const after = localKeyring(`reference=${reference}\nk1=${first}\nk2=${fresh()}`)
    const world = await openWorld({ store: 'sqlite', keyring: before })
    const old = await world.prepared()

    const runtime = await world.open({ keyring: after })
    const made = await runtime.prepare(requester, world.input())

    expect([
      (await world.stored(old.proposal)).key.kekVersion,
      (await world.stored(made.proposal)).key.kekVersion,
    ]).toEqual(['k1', 'k2'])
    expect(await answerOf(runtime.approve(finance1, old.proposal, { commitment: old.commitment }))).toBe('approved')
    const without = await world.open({ keyring: localKeyring(`reference=${reference}\nk2=${fresh()}`) })
    const error = await refused(without.approve(finance1, made.proposal, { commitment: made.commitment }))
    expect(error).toMatchObject({ code: 'content_unavailable', answer: 'damaged' })
    expect(await without.read(finance1, old.proposal)).toMatchObject({ contentAvailable: false, preview: null })
  })
})

function thrown(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('nothing was thrown')
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'countersign-keys-'))
  onTestFinished(async () => rm(path, { recursive: true, force: true }))
  return path
}
