// What a tombstone is worth to whoever holds it: it has only what is on the list, and says nothing about what was there.
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseReference } from '../../src/effect/reference.ts'
import { deriveEffectReference } from '../../src/proposal/content/effect-reference.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { withoutGuards } from '../store/sqlite-fixture.ts'
import { brokenI24, brokenI25 } from './erasure-invariants.ts'
import { STORES, type World } from './harness.ts'
import { answering, approvedFor, found, openOperators, SETTLED_MS } from './operators.ts'
import { finance1, privacy, reader, requester, TENANT } from './sessions.ts'

const why = { reason: 'asked_by_subject' } as const

/** A verified refund with a request key and a comment, and the words that must not outlive it. */
async function verified(world: World) {
  world.action.business.customer = 'Carla of the canaries'
  const input = { ...world.input({ intent: 'the vase came broken', memo: 'a memo of some length' }), requestKey: 'one' }
  const { proposal, commitment } = await world.runtime.prepare(requester, input)
  await world.runtime.approve(finance1, proposal, { commitment, comment: 'she called twice about it' })
  await world.runtime.execute(requester, proposal)
  await world.clock.advance(SETTLED_MS)
  answering(
    world,
    (asked) => ({ ...found(asked), result: { refundId: 'rf-of-the-canaries' } }) as ReturnType<typeof found>,
  )
  await world.runtime.reconcile(requester, proposal)
  const stored = await world.stored(proposal)
  const secrets = {
    customer: 'Carla of the canaries',
    memo: 'a memo of some length',
    comment: 'she called twice about it',
    result: 'rf-of-the-canaries',
    requester: 'user:rita',
    approver: 'user:fiona',
    commitment,
    fingerprint: stored.proposal.commandFingerprint ?? '',
    'wrapped key': stored.key.wrapped,
  }
  const before = { effect: await world.bareStore.effect(stored.proposal.effect), requestKeys: 1 }
  return { ref: proposal, secrets, before, input }
}

describe('invariants I24 and I25: after erasure', () => {
  it('invariant I24 nothing is answered, left in a row or in a file, and invariant I25 the claim stays', async () => {
    const world = await openOperators({ store: 'sqlite' })
    const { ref, secrets, before } = await verified(world)

    await world.runtime.erase(privacy, ref, why)

    expect(await brokenI24(world, ref, secrets)).toEqual([])
    expect(await brokenI25(world, ref, before)).toEqual([])
  })

  it('invariant I24 is broken by one that is not erased', async () => {
    const world = await openOperators({ store: 'sqlite' })
    const { ref, secrets } = await verified(world)

    const broken = await brokenI24(world, ref, { ...secrets, customer: 'nobody of this name' })

    expect(broken).toEqual(
      expect.arrayContaining([
        'the tombstone holds requester',
        'the tombstone holds snapshot',
        'the database holds its key',
        'the database holds a decision',
        'the database holds what a receipt said',
        'the database holds the detail of an attempt',
        'the database holds facts that were sealed for it',
        'wrapped key lies in a file',
        'commitment is answered',
      ]),
    )
    expect(broken).not.toContain('customer lies in a file')
  })

  it.each([
    ['the effect is not owned as before', 'delete from effects'],
    ['an attempt is another one', `update attempts set token = 'another'`],
    ['evidence is another one', `delete from observations`],
    ['a request key is gone', 'delete from request_keys'],
  ])('invariant I25 is broken where %s', async (sentence, sql) => {
    const world = await openOperators({ store: 'sqlite', verified: false })
    const { ref, before } = await verified(world)
    await world.runtime.erase(privacy, ref, why)

    withoutGuards(world.path ?? '', sql)

    expect(await brokenI25(world, ref, before)).toContain(sentence)
  })
})

describe('threat T48: an earlier copy', () => {
  it('threat T48 opens as it did, as the answer of the erasure says: keys lie beside the data', async () => {
    const world = await openOperators({ store: 'sqlite' })
    const { ref, secrets } = await verified(world)
    const folder = mkdtempSync(join(tmpdir(), 'countersign-copy-'))
    const copy = join(folder, 'store.db')
    for (const suffix of ['', '-wal']) copyFileSync(`${world.path}${suffix}`, `${copy}${suffix}`)

    expect(await world.runtime.erase(privacy, ref, why)).toMatchObject({ outcome: 'erased', backups: 'not_covered' })

    const restored = await sqliteStore(copy)
    onTestFinished(async () => {
      await restored.close()
      rmSync(folder, { recursive: true })
    })
    const view = await (await world.open({ store: restored })).read(reader, ref)
    expect(view).toMatchObject({ kind: 'proposal', contentAvailable: true, approvals: [{ comment: secrets.comment }] })
    expect(await brokenI24(world, ref, secrets)).toEqual([])
  })
})

describe.each(STORES)('threat T49: guessing what a tombstone was about, on %s', (store) => {
  it('threat T49 leads nowhere without the reference key, though there is little to guess', async () => {
    const world = await openOperators({ store })
    const { proposal } = await approvedFor(world, 'broken vase')
    await world.runtime.erase(privacy, proposal, why)
    const left = await world.runtime.read(reader, proposal)
    const text = JSON.stringify(left)
    const reference = left.kind === 'erased' ? left.tombstone.effect.reference : ''
    const key = await world.keyring.referenceKey()
    const tenant = parseReference(TENANT, '')

    let unkeyed = 0
    let keyed = 0
    for (let order = 0; order < 20_000; order += 1) {
      for (const intent of ['broken vase', 'late delivery']) {
        const parts = ['refund', `ORD-${order}`, intent]
        const digests = ['hex', 'base64url'].map((form) => {
          return createHash('sha256')
            .update(parts.join('\u0000'))
            .digest(form as 'hex')
        })
        const guess = deriveEffectReference(new Uint8Array(32).fill(order % 256), tenant, parts)
        if ([...digests, guess].some((one) => text.includes(one))) unkeyed += 1
        if (order === 1001 && deriveEffectReference(key, tenant, parts) === reference) keyed += 1
      }
    }

    expect(unkeyed).toBe(0)
    // With the key it is found: the guesses were the right ones.
    expect(keyed).toBe(1)
  })
})
