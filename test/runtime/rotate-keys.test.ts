// Rotation: every key is wrapped anew, everything opens before, during and after, and nothing that is erased comes back.
import { describe, expect, it } from 'vitest'
import type { ContentUnavailable } from '../../src/proposal/errors.ts'
import { localKeyring, newKeyringText, withNewKey } from '../../src/runtime/keys/local-keyring.ts'
import type { KeyEncryptionKey, Keyring, Store } from '../../src/runtime/ports.ts'
import { rotateKeys } from '../../src/runtime/keys/rotate-keys.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import { startChild } from '../store/processes/child.ts'
import { rawRows, rawSql } from '../store/sqlite-fixture.ts'
import { MINUTE_MS, openWorld, reference, refused, STORES, unsound, type World, type WorldOptions } from './harness.ts'
import { type Around, InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { elsewhere, finance1, foreigner, OTHER_TENANT, privacy, requester, TENANT } from './sessions.ts'

const why = { reason: 'asked_by_subject' } as const

/** A keyring of one key, the same with a second one, and the second one alone. */
interface Keys {
  readonly old: Keyring
  readonly both: Keyring
  readonly text: string
  readonly fresh: Keyring
}

function keysOf(text = newKeyringText()): Keys {
  const both = withNewKey(text).text
  const fresh = both
    .split('\n')
    .filter((line) => !line.startsWith('k1='))
    .join('\n')
  return { old: localKeyring(text), both: localKeyring(both), text: both, fresh: localKeyring(fresh) }
}

interface Rotated extends World {
  readonly keys: Keys
  readonly refs: readonly string[]
}

/** A world with some proposals in two tenants, all of them under the old key. */
async function openRotated(options: WorldOptions, count = 3): Promise<Rotated> {
  const keys = keysOf()
  const world = await openWorld({ ...options, keyring: keys.old })
  const refs: string[] = []
  for (let index = 0; index < count; index += 1) refs.push((await world.prepared()).proposal)
  await world.runtime.prepare(foreigner, world.input())
  return { ...world, keys, refs }
}

/** Which of the requester's proposals can be opened by a runtime with this keyring. */
async function opens(world: World, keyring: Keyring, refs: readonly string[]): Promise<readonly boolean[]> {
  const runtime = await world.open({ keyring, store: world.bareStore })
  return Promise.all(
    refs.map(async (ref) => {
      const view = await runtime.read(requester, ref)
      return view.kind === 'proposal' && view.contentAvailable
    }),
  )
}

const all = (refs: readonly string[]): readonly boolean[] => refs.map(() => true)
const none = (refs: readonly string[]): readonly boolean[] => refs.map(() => false)

describe.each(STORES)('threat T46: rotation on %s', (store) => {
  it('threat T46 wraps everything anew, in every tenant, and then the old key may go', async () => {
    const world = await openRotated({ store })
    const { keys, refs } = world
    expect(await opens(world, keys.fresh, refs)).toEqual(none(refs))

    expect(await rotateKeys({ store: world.store, keyring: keys.both })).toEqual({
      version: 'k2',
      rewrapped: 4,
      failed: [],
      stillUnder: [],
    })

    expect(await opens(world, keys.both, refs)).toEqual(all(refs))
    expect(await opens(world, keys.fresh, refs)).toEqual(all(refs))
    expect(await opens(world, keys.old, refs)).toEqual(none(refs))
    for (const tenant of [TENANT, OTHER_TENANT].map(reference)) {
      expect(await world.store.keysNotUnder(tenant, 'k2', null, 9)).toEqual([])
    }
  })

  it('threat T46 changes nothing but the wrapping, and once more nothing at all', async () => {
    const world = await openRotated({ store })
    const { keys, refs } = world
    const before = await Promise.all(refs.map(async (ref) => world.stored(ref)))

    await rotateKeys({ store: world.store, keyring: keys.both })

    const after = await Promise.all(refs.map(async (ref) => world.stored(ref)))
    expect(after.map(({ key: _, ...rest }) => rest)).toEqual(before.map(({ key: _, ...rest }) => rest))
    expect(after.map(({ key }) => key.kekVersion)).toEqual(refs.map(() => 'k2'))
    expect(await rotateKeys({ store: world.store, keyring: keys.both })).toMatchObject({ rewrapped: 0 })
    expect(await Promise.all(refs.map(async (ref) => world.stored(ref)))).toEqual(after)
  })

  it('threat T46 everything opens at any moment of it', async () => {
    let check = async (): Promise<void> => {}
    let checks = 0
    const around: Around = async (name, call) => {
      if (name === 'rewrap') await check()
      return call()
    }
    const world = await openRotated({ store, around })
    const { keys, refs } = world
    check = async () => {
      checks += 1
      expect(await opens(world, keys.both, refs)).toEqual(all(refs))
    }

    await rotateKeys({ store: world.store, keyring: keys.both })

    expect(checks).toBe(4)
  })

  it('threat T46 what is approved before it is executed after it, on the same approval', async () => {
    const world = await openRotated({ store })
    const { proposal } = await world.approvedProposal()
    await rotateKeys({ store: world.store, keyring: world.keys.both })
    const runtime = await world.open({ keyring: world.keys.fresh })

    expect(await runtime.execute(requester, proposal)).toMatchObject({ outcome: 'verification_pending' })
  })

  it('threat T46 goes on where it was interrupted', async () => {
    let left = Number.POSITIVE_INFINITY
    const around: Around = async (name, call) => {
      if (name === 'rewrap') left -= 1
      if (left < 0) throw new Error('the process ended')
      return call()
    }
    const world = await openRotated({ store, around }, 5)
    const { keys, refs } = world
    for (const _ of [1, 2]) {
      left = 2
      await expect(rotateKeys({ store: world.store, keyring: keys.both })).rejects.toThrow('the process ended')
      expect(await opens(world, keys.both, refs)).toEqual(all(refs))
    }
    left = Number.POSITIVE_INFINITY

    expect(await rotateKeys({ store: world.store, keyring: keys.both })).toMatchObject({ rewrapped: 2, failed: [] })

    expect(await opens(world, keys.fresh, refs)).toEqual(all(refs))
  })

  it('threat T46 walks through more than a page, also past keys that cannot be opened', async () => {
    const world = await openRotated({ store }, 0)
    const { keys } = world
    const refs: string[] = []
    for (let index = 0; index < 403; index += 1) refs.push((await world.prepared()).proposal)
    // More than a page of them, and one at the very end.
    const broken = new Set([...refs.slice(0, 205), ...refs.slice(-1)])
    const keyring = failing(keys.both, (proposal) => (broken.has(proposal) ? 'damaged' : null))

    const rotation = await rotateKeys({ store: world.store, keyring })

    expect(rotation).toMatchObject({ rewrapped: 198, stillUnder: ['k1'] })
    expect(rotation.failed.map(({ proposal }) => proposal)).toEqual([...broken])
  })

  it('threat T46 two at once wrap each key once', async () => {
    const world = await openRotated({ store }, 6)
    const { keys, refs } = world

    const [one, two] = await Promise.all([
      rotateKeys({ store: world.store, keyring: keys.both }),
      rotateKeys({ store: world.store, keyring: keys.both }),
    ])

    expect(one.rewrapped + two.rewrapped).toBe(7)
    expect([one.stillUnder, two.stillUnder]).toEqual([[], []])
    expect(await opens(world, keys.fresh, refs)).toEqual(all(refs))
  })

  it('threat T46 two at once towards different keys come to an end, and everything opens', async () => {
    const world = await openRotated({ store }, 6)
    const { keys, refs } = world
    const three = localKeyring(withNewKey(keys.text).text)

    await Promise.all([
      rotateKeys({ store: world.store, keyring: keys.both }),
      rotateKeys({ store: world.store, keyring: three }),
    ])

    expect(await opens(world, three, refs)).toEqual(all(refs))
    expect(await rotateKeys({ store: world.store, keyring: three })).toMatchObject({ stillUnder: [] })
  })

  it('threat T46 a keyring whose current key changes meanwhile does not lead it astray', async () => {
    const world = await openRotated({ store })
    const three = localKeyring(withNewKey(world.keys.text).text)
    let asked = 0
    const keyring: Keyring = {
      ...three,
      current: async () => {
        asked += 1
        return asked === 1 ? world.keys.both.current() : three.current()
      },
    }

    expect(await rotateKeys({ store: world.store, keyring })).toEqual({
      version: 'k2',
      rewrapped: 4,
      failed: [],
      stillUnder: [],
    })
  })
})

describe.each(STORES)('rotation beside running servers on %s', (store) => {
  it('wraps what is prepared meanwhile under the old key, too', async () => {
    let prepare = async (): Promise<void> => {}
    const around: Around = async (name, call) => {
      if (name === 'rewrap') await prepare()
      return call()
    }
    const world = await openRotated({ store, around }, 2)
    const { keys } = world
    const refs = [...world.refs]
    const server = await world.open({ store: world.bareStore })
    let more = 2
    prepare = async () => {
      more -= 1
      if (more >= 0) refs.push((await server.prepare(requester, world.input())).proposal)
    }

    expect(await rotateKeys({ store: world.store, keyring: keys.both })).toMatchObject({ rewrapped: 5, stillUnder: [] })

    expect(await opens(world, keys.fresh, refs)).toEqual(all(refs))
  })

  it('says that the old key must stay while a server goes on using it', async () => {
    let prepare = async (): Promise<void> => {}
    const around: Around = async (name, call) => {
      const answer = await call()
      if (name === 'rewrap') await prepare()
      return answer
    }
    const world = await openRotated({ store, around }, 1)
    const server = await world.open({ store: world.bareStore })
    prepare = async () => {
      await server.prepare(requester, world.input())
    }

    const rotation = await rotateKeys({ store: world.store, keyring: world.keys.both })

    expect(rotation).toMatchObject({ version: 'k2', failed: [], stillUnder: ['k1'] })
  })

  it('lets decisions and executions go on', async () => {
    let act = async (): Promise<void> => {}
    const around: Around = async (name, call) => {
      if (name === 'rewrap') await act()
      return call()
    }
    const world = await openRotated({ store, around }, 1)
    const { keys, refs } = world
    const server = await world.open({ store: world.bareStore, keyring: keys.both })
    const [ref = ''] = refs
    const { commitment } = (await world.stored(ref)).proposal
    const outcomes: string[] = []
    act = async () => {
      const approved = await server.approve(finance1, ref, { commitment, comment: 'sealed meanwhile' })
      const executed = await server.execute(requester, ref)
      outcomes.push(approved.outcome, executed.outcome)
      act = async () => {}
    }

    expect(await rotateKeys({ store: world.store, keyring: keys.both })).toMatchObject({ rewrapped: 2 })

    expect(outcomes).toEqual(['approved', 'verification_pending'])
    const view = await (await world.open({ keyring: keys.fresh })).read(requester, ref)
    expect(view).toMatchObject({ contentAvailable: true, approvals: [{ comment: 'sealed meanwhile' }] })
  })
})

describe.each(STORES)('trace S43: rotation that meets erasure on %s', (store) => {
  it('trace S43 never brings a key back', async () => {
    let erase = async (): Promise<void> => {}
    const around: Around = async (name, call) => {
      if (name === 'rewrap') await erase()
      return call()
    }
    const world = await openRotated({ store, around }, 2)
    const { keys, refs } = world
    const server = await world.open({ store: world.bareStore, keyring: keys.both })
    erase = async () => {
      await server.erase(privacy, refs[0] ?? '', why)
      erase = async () => {}
    }

    // The key was read and wrapped anew; before it is stored, the proposal is erased.
    const rotation = await rotateKeys({ store: world.store, keyring: keys.both })

    expect(rotation).toEqual({ version: 'k2', rewrapped: 2, failed: [], stillUnder: [] })
    expect((await world.bareStore.proposal(reference(TENANT), reference(refs[0] ?? '')))?.kind).toBe('erased')
    expect(await world.bareStore.keysNotUnder(reference(TENANT), 'none', null, 9)).toMatchObject([
      { proposal: refs[1] },
    ])
  })

  it('trace S43 is no hindrance to it: the renewed key is destroyed like the old one', async () => {
    const world = await openRotated({ store }, 1)
    const { keys, refs } = world
    const server = await world.open({ keyring: keys.both })
    await rotateKeys({ store: world.store, keyring: keys.both })

    expect(await server.erase(privacy, refs[0] ?? '', why)).toMatchObject({ outcome: 'erased' })
    expect(await server.erase(elsewhere(privacy), refs[0] ?? '', why).catch(() => 'not_found')).toBe('not_found')

    expect(await world.bareStore.keysNotUnder(reference(TENANT), 'none', null, 9)).toEqual([])
  })
})

/** Asks before each unwrapping of a key of the old version what is wrong with it, by its proposal. */
function failing(keyring: Keyring, wrong: (proposal: string) => ContentUnavailable['answer'] | null): Keyring {
  return {
    ...keyring,
    async resolve(version) {
      const kek = await keyring.resolve(version)
      if (kek === null || version !== 'k1') return kek
      const unwrap: KeyEncryptionKey['unwrap'] = async (wrapped, context) => {
        const named = Buffer.from(context).toString('latin1')
        const answer = wrong(/[0-9A-Z]{26}/.exec(named)?.[0] ?? '')
        if (answer !== null) throw new KeyUnavailable(answer)
        return kek.unwrap(wrapped, context)
      }
      return { ...kek, unwrap }
    },
  }
}

describe.each(STORES)('threat T47: a key service that does not answer, on %s', (store) => {
  it.each(['missing', 'denied', 'damaged'] as const)(
    'threat T47 one key that is %s is told, tried once, and holds up no other',
    async (answer) => {
      const world = await openRotated({ store }, 3)
      const { keys, refs } = world
      let asked = 0
      const keyring = failing(keys.both, (proposal) => {
        if (proposal !== refs[1]) return null
        asked += 1
        return answer
      })

      const rotation = await rotateKeys({ store: world.store, keyring })

      expect(rotation).toEqual({
        version: 'k2',
        rewrapped: 3,
        failed: [{ tenant: TENANT, proposal: refs[1], kekVersion: 'k1', answer }],
        stillUnder: ['k1'],
      })
      expect(asked).toBe(1)
      // The old key stays where it is still needed, and the next rotation does the rest.
      expect(await opens(world, keys.both, refs)).toEqual(all(refs))
      expect(await rotateKeys({ store: world.store, keyring: keys.both })).toMatchObject({ rewrapped: 1, failed: [] })
    },
  )

  it('threat T47 one that is out of reach stops it, and what was done is done', async () => {
    const world = await openRotated({ store }, 3)
    const { keys, refs } = world
    const keyring = failing(keys.both, (proposal) => (proposal === refs[1] ? 'unavailable' : null))

    const error = await refused(rotateKeys({ store: world.store, keyring }))

    expect(error).toMatchObject({ code: 'content_unavailable', answer: 'unavailable' })
    expect(await opens(world, keys.both, refs)).toEqual(all(refs))
    expect(await rotateKeys({ store: world.store, keyring: keys.both })).toMatchObject({ rewrapped: 3 })
  })

  it('threat T47 one that hangs is not waited for', async () => {
    const world = await openRotated({ store }, 1)
    const keyring: Keyring = { ...world.keys.both, resolve: () => new Promise(() => {}) }
    const rotating = refused(rotateKeys({ store: world.store, keyring, clock: world.clock }))
    await world.clock.advance(MINUTE_MS)

    expect(await rotating).toMatchObject({ code: 'content_unavailable', answer: 'unavailable' })
  })

  it('threat T47 an old key that has left the keyring is missing, and nothing of it is lost', async () => {
    const world = await openRotated({ store }, 2)
    const { keys, refs } = world

    const rotation = await rotateKeys({ store: world.store, keyring: keys.fresh })

    expect(rotation).toMatchObject({ rewrapped: 0, stillUnder: ['k1'] })
    expect(rotation.failed.map(({ answer }) => answer)).toEqual(['missing', 'missing', 'missing'])
    expect(await opens(world, keys.both, refs)).toEqual(all(refs))
  })

  it.each<[string, Partial<KeyEncryptionKey>]>([
    ['something else', { wrap: async () => new Uint8Array(61).fill(7) }],
    ['nothing', { wrap: async () => unsound<Uint8Array>(null) }],
    ['what opens as another key', { unwrap: async () => new Uint8Array(32).fill(9) }],
    ['what opens as no key', { unwrap: async () => new Uint8Array(0) }],
  ])('threat T47 a new key that wraps to %s replaces nothing', async (_, broken) => {
    const world = await openRotated({ store }, 2)
    const { keys, refs } = world
    const kek = await keys.both.current()
    const current: KeyEncryptionKey = { ...kek, ...broken }

    const rotation = await rotateKeys({ store: world.store, keyring: { ...keys.both, current: async () => current } })

    expect(rotation).toMatchObject({ rewrapped: 0, stillUnder: ['k1'] })
    expect(rotation.failed.map(({ answer }) => answer)).toEqual(['damaged', 'damaged', 'damaged'])
    expect(await opens(world, keys.old, refs)).toEqual(all(refs))
  })
})

describe('threat T46: a wrapped key that was damaged in its file', () => {
  it.each([
    [
      'a bit of it differs',
      `update keys set wrapped = cast(substr(wrapped, 1, 20) || zeroblob(8) || substr(wrapped, 29) as blob)`,
      'damaged',
    ],
    ['it is cut short', 'update keys set wrapped = substr(wrapped, 1, 40)', 'damaged'],
    ['it is gone but for a byte', `update keys set wrapped = x'01'`, 'damaged'],
    ['it names a version that never was', `update keys set kek_version = 'k9'`, 'missing'],
    [
      'it is that of its neighbour',
      'update keys set wrapped = (select wrapped from keys as other where other.proposal <> keys.proposal limit 1)',
      'damaged',
    ],
  ])('threat T46 %s: it is told, and does not loop', async (_, sql, answer) => {
    const world = await openRotated({ store: 'sqlite' }, 3)
    const { keys, refs } = world
    const path = world.path ?? ''
    rawSql(path, `${sql} where proposal = '${refs[1]}'`)
    const before = rawRows(path, `select * from keys where proposal = '${refs[1]}'`)

    const rotation = await rotateKeys({ store: world.store, keyring: keys.both })

    expect(rotation.rewrapped).toBe(3)
    expect(rotation.failed).toMatchObject([{ proposal: refs[1], answer }])
    expect(rawRows(path, `select * from keys where proposal = '${refs[1]}'`)).toEqual(before)
  })
})

/** The calls of the store that a rotation of two keys makes, as they can be counted from outside. */
const STEPS = Array.from({ length: 9 }, (_, index) => index + 1)

describe('threat T46: a rotation that is killed', () => {
  it.each(STEPS.flatMap((nth) => [['before', nth] as const, ['after', nth] as const]))(
    'threat T46 %s its call %i of the store leaves everything to be opened, and the next one goes on',
    async (when, nth) => {
      const world = await openRotated({ store: 'sqlite' }, 2)
      const { keys, refs } = world
      const program = new URL('processes/rotate.ts', import.meta.url)

      const child = startChild(program, [world.path ?? '', keys.text, String(nth), when])
      const [printed, { signal }] = await Promise.all([child.rest(), child.exited])

      expect([printed, signal]).toEqual([[], 'SIGKILL'])
      expect(await opens(world, keys.both, refs)).toEqual(all(refs))
      expect(await rotateKeys({ store: world.store, keyring: keys.both })).toMatchObject({ failed: [], stillUnder: [] })
      expect(await opens(world, keys.fresh, refs)).toEqual(all(refs))
    },
  )

  it('threat T46 beyond its last call is done', async () => {
    const world = await openRotated({ store: 'sqlite' }, 2)
    const calls: (keyof Store)[] = []
    const counted = new InterceptedStore(world.store, async (name, call) => {
      calls.push(name)
      return call()
    })
    await rotateKeys({ store: counted, keyring: world.keys.both })

    expect(calls.filter((name) => name === 'rewrap')).toHaveLength(3)
    expect(calls.slice(0, STEPS.length)).toEqual(expect.arrayContaining(['tenants', 'keysNotUnder', 'rewrap']))
  })
})
