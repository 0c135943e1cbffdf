// Sealing: a key for every proposal, wrapped; nothing opens in another place, and every kind of failure is told apart.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ContentUnavailable } from '../../src/proposal/errors.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import type { KeyEncryptionKey, Keyring, WrappedKey } from '../../src/runtime/ports.ts'
import { KeyUnavailable, type Owner, ProposalKey, ProposalKeys, type Purpose } from '../../src/runtime/keys/sealing.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { reference, refused, START, unsound } from './harness.ts'

const owners: readonly Owner[] = [
  { tenant: reference('acme'), proposal: reference('p-1') },
  { tenant: reference('acme'), proposal: reference('p-2') },
  { tenant: reference('globex'), proposal: reference('p-1') },
  // One behind the other these are the same text; framed they are not.
  { tenant: reference('ac'), proposal: reference('mep-1') },
]
const purposes: readonly Purpose[] = [
  'snapshot',
  'preview',
  'result',
  'comment:a',
  'comment:b',
  'attempt:1',
  'attempt:11',
  'facts:1',
]

function nameOf({ tenant, proposal }: Owner, purpose: Purpose): string {
  return JSON.stringify([tenant, proposal, purpose])
}

function openedBy(key: ProposalKey, purpose: Purpose, sealed: Uint8Array): string | null {
  try {
    return key.open(purpose, sealed)
  } catch (error) {
    if (error instanceof ContentUnavailable && error.answer === 'damaged') return null
    throw error
  }
}

async function answerTo(opening: Promise<unknown>): Promise<string> {
  try {
    await opening
    return 'opened'
  } catch (error) {
    if (error instanceof ContentUnavailable) return error.answer
    throw error
  }
}

function keysOf(keyring: Keyring, clock = new VirtualClock(START)): ProposalKeys {
  return new ProposalKeys(keyring, clock)
}

/** A keyring of which one part behaves otherwise. */
function keyringWith(changes: Partial<Keyring>, kek: Partial<KeyEncryptionKey> = {}): Keyring {
  const good = ephemeralKeyring()
  const spoil = (key: KeyEncryptionKey): KeyEncryptionKey => ({
    version: key.version,
    wrap: async (...input) => key.wrap(...input),
    unwrap: async (...input) => key.unwrap(...input),
    ...kek,
  })
  return {
    current: async () => spoil(await good.current()),
    resolve: async (version) => {
      const key = await good.resolve(version)
      return key === null ? null : spoil(key)
    },
    referenceKey: async () => good.referenceKey(),
    ...changes,
  }
}

describe('threat T43', () => {
  it('threat T43: what is sealed opens for its owner and purpose, and in no other place', async () => {
    const keys = keysOf(ephemeralKeyring())
    const places = await Promise.all(owners.map(async (owner) => ({ owner, ...(await keys.create(owner)) })))
    const sealed = places.flatMap(({ owner, key }) =>
      purposes.map((purpose) => ({ from: nameOf(owner, purpose), sealed: key.seal(purpose, nameOf(owner, purpose)) })),
    )
    const doors = places.flatMap(({ owner, key }) => purposes.map((purpose) => ({ owner, key, purpose })))

    const opened = sealed.flatMap(({ from, sealed: bytes }) =>
      doors.flatMap(({ owner, key, purpose }) => {
        const text = openedBy(key, purpose, bytes)
        return text === null ? [] : [{ from, to: nameOf(owner, purpose), text }]
      }),
    )

    expect(opened).toEqual(sealed.map(({ from }) => ({ from, to: from, text: from })))
  })

  it('threat T43: even under one and the same key nothing opens for another owner or purpose', () => {
    const dataKey = new Uint8Array(randomBytes(32))
    const doors = owners.flatMap((owner) =>
      purposes.map((purpose) => ({ owner, purpose, key: new ProposalKey(owner, dataKey) })),
    )

    for (const { owner, purpose, key } of doors) {
      const sealed = key.seal(purpose, 'text')
      const opening = doors.filter((door) => openedBy(door.key, door.purpose, sealed) !== null)
      expect(opening.map((door) => nameOf(door.owner, door.purpose))).toEqual([nameOf(owner, purpose)])
    }
  })

  it('threat T43: a wrapped key opens for its owner, and for nobody else', async () => {
    const keys = keysOf(ephemeralKeyring())
    const made = await Promise.all(owners.map(async (owner) => ({ owner, ...(await keys.create(owner)) })))

    const answers = await Promise.all(
      made.flatMap(({ wrapped }) => owners.map(async (owner) => answerTo(keys.open(owner, wrapped)))),
    )

    const expected = made.flatMap(({ owner }) => owners.map((other) => (owner === other ? 'opened' : 'damaged')))
    expect(answers).toEqual(expected)
  })

  it('threat T43: a wrapped key that was altered or cut is damaged, in every byte and at every length', async () => {
    const keys = keysOf(ephemeralKeyring())
    const [owner] = owners
    if (owner === undefined) throw new Error('there is an owner')
    const { wrapped } = await keys.create(owner)
    const altered = [...wrapped.wrapped.keys()].flatMap((index) => [
      wrapped.wrapped.map((byte, at) => (at === index ? byte ^ 1 : byte)),
      wrapped.wrapped.subarray(0, index),
    ])

    for (const one of altered) {
      const error = await refused(keys.open(owner, { ...wrapped, wrapped: one }))
      expect(error).toMatchObject({ name: 'ContentUnavailable', answer: 'damaged' })
    }
  })

  it('threat T43: a key that is said to be of another version does not open under it', async () => {
    const first = await ephemeralKeyring().current()
    const second = await ephemeralKeyring().current()
    const named = (version: string, key: KeyEncryptionKey): KeyEncryptionKey => ({ ...key, version })
    const versions = new Map([
      ['k1', named('k1', first)],
      ['k2', named('k2', second)],
      ['k3', named('k3', first)],
    ])
    const keys = keysOf(
      keyringWith({
        current: async () => named('k1', first),
        resolve: async (version) => versions.get(version) ?? null,
      }),
    )
    const [owner] = owners
    if (owner === undefined) throw new Error('there is an owner')
    const { wrapped } = await keys.create(owner)
    const open = async (kekVersion: string): Promise<string> => answerTo(keys.open(owner, { ...wrapped, kekVersion }))

    expect(wrapped.kekVersion).toBe('k1')
    expect([await open('k1'), await open('k2'), await open('k3'), await open('k4')]).toEqual([
      'opened',
      'damaged',
      'damaged',
      'missing',
    ])
  })
})

describe('keys of proposals', () => {
  it('are others for each proposal, and so are their commitment keys', async () => {
    const keys = keysOf(ephemeralKeyring())
    const made = await Promise.all(owners.map(async (owner) => keys.create(owner)))

    const commitmentKeys = made.map(({ key }) => Buffer.from(key.commitmentKey).toString('hex'))
    expect(new Set(commitmentKeys).size).toBe(owners.length)
    expect(new Set(made.map(({ wrapped }) => Buffer.from(wrapped.wrapped).toString('hex'))).size).toBe(owners.length)
  })

  it('are the same again when they are opened', async () => {
    const keys = keysOf(ephemeralKeyring())
    const [owner] = owners
    if (owner === undefined) throw new Error('there is an owner')
    const { key, wrapped } = await keys.create(owner)

    const again = await keys.open(owner, wrapped)

    expect(again.commitmentKey).toEqual(key.commitmentKey)
    expect(again.open('snapshot', key.seal('snapshot', 'text \u{1F4B6}'))).toBe('text \u{1F4B6}')
  })
})

describe('threat T47: the answers of a key service are told apart', () => {
  const [owner] = owners
  if (owner === undefined) throw new Error('there is an owner')
  const stored: WrappedKey = { kekVersion: 'k1', wrapped: new Uint8Array(61) }
  const failing = (error: unknown) => async (): Promise<never> => {
    throw error
  }

  it.each<[string, unknown, string]>([
    ['missing', new KeyUnavailable('missing'), 'missing'],
    ['denied', new KeyUnavailable('denied'), 'denied'],
    ['unavailable', new KeyUnavailable('unavailable'), 'unavailable'],
    ['damaged', new KeyUnavailable('damaged'), 'damaged'],
    ['an error of the network', new Error('ECONNREFUSED kms.example.test'), 'unavailable'],
    ['an error that says missing in words', new Error('The key is missing.'), 'unavailable'],
    ['a text', 'missing', 'unavailable'],
    ['nothing', undefined, 'unavailable'],
  ])('threat T47: %s', async (_title, error, answer) => {
    const rings = [
      keysOf(keyringWith({ resolve: failing(error) })).open(owner, stored),
      keysOf(keyringWith({}, { unwrap: failing(error) })).open(owner, stored),
      keysOf(keyringWith({ current: failing(error) })).create(owner),
      keysOf(keyringWith({}, { wrap: failing(error) })).create(owner),
      keysOf(keyringWith({ referenceKey: failing(error) })).referenceKey(),
    ]

    for (const ring of rings) {
      const refusal = await refused(ring)
      expect(refusal).toMatchObject({ name: 'ContentUnavailable', code: 'content_unavailable', answer })
      expect(`${refusal.message}${JSON.stringify(refusal)}${refusal.stack}`).not.toContain('kms.example.test')
    }
  })

  it.each<[string, unknown, string]>([
    ['null, which alone is authoritative', null, 'missing'],
    ['undefined', undefined, 'unavailable'],
    ['false', false, 'unavailable'],
    ['an object that is no key', {}, 'unavailable'],
  ])('threat T47: a keyring that resolves a version to %s', async (_title, key, answer) => {
    const keys = keysOf(keyringWith({ resolve: async () => unsound(key) }))

    expect(await refused(keys.open(owner, stored))).toHaveProperty('answer', answer)
  })

  it.each<[string, unknown]>([
    ['31 bytes', new Uint8Array(31)],
    ['33 bytes', new Uint8Array(33)],
    ['no bytes', new Uint8Array()],
    ['a text of 32 characters', 'x'.repeat(32)],
    ['a list of 32 numbers', Array.from({ length: 32 }, () => 7)],
    ['nothing', undefined],
  ])('threat T47: an unwrapped key of %s is damaged', async (_title, dataKey) => {
    const keys = keysOf(keyringWith({}, { unwrap: async () => unsound(dataKey) }))

    expect(await refused(keys.open(owner, stored))).toHaveProperty('answer', 'damaged')
  })

  it('threat T47: a wrapped key that is no bytes is not stored', async () => {
    for (const wrapped of [undefined, 'text', new Uint8Array()]) {
      const keys = keysOf(keyringWith({}, { wrap: async () => unsound(wrapped) }))

      expect(await refused(keys.create(owner))).toHaveProperty('answer', 'damaged')
    }
  })

  it('threat T47: a key whose version is none is not used', async () => {
    for (const version of ['', 'K1', 'a b', 'x'.repeat(65), 7, undefined]) {
      const keys = keysOf(
        keyringWith({ current: async () => ({ ...(await ephemeralKeyring().current()), version: unsound(version) }) }),
      )

      expect(await refused(keys.create(owner))).toHaveProperty('answer', 'damaged')
    }
  })

  it('rule R18: a key service that hangs is unavailable after ten seconds', async () => {
    const hanging = async (): Promise<never> => new Promise(() => {})
    const clock = new VirtualClock(START)
    const rings = [
      keysOf(keyringWith({ resolve: hanging }), clock).open(owner, stored),
      keysOf(keyringWith({}, { unwrap: hanging }), clock).open(owner, stored),
      keysOf(keyringWith({ current: hanging }), clock).create(owner),
      keysOf(keyringWith({}, { wrap: hanging }), clock).create(owner),
      keysOf(keyringWith({ referenceKey: hanging }), clock).referenceKey(),
    ].map(async (ring) => (await refused(ring))['answer'])

    await clock.advance(9_999)
    expect(await Promise.race([...rings, Promise.resolve('still waiting')])).toBe('still waiting')
    await clock.advance(1)

    expect(await Promise.all(rings)).toEqual(rings.map(() => 'unavailable'))
  })
})
