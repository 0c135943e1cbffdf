// After erasure nothing of a proposal lies in the files: canaries in every field, and every byte that would open them.
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { localKeyring, newKeyringText, withNewKey } from '../../src/runtime/keys/local-keyring.ts'
import { rotateKeys } from '../../src/runtime/keys/rotate-keys.ts'
import { rawRows } from '../store/sqlite-fixture.ts'
import { unsound, type World } from './harness.ts'
import { answering, executing, found, openOperators, permissions, saying, SETTLED_MS } from './operators.ts'
import { residueBeside, type Secrets } from './residue.ts'
import { reader, session } from './sessions.ts'

const why = { reason: 'asked_by_subject' } as const

/** A word that stands nowhere else. */
const canary = (field: string): string => `canary-of-${field}-7d1f`
const somebody = (field: string, ...roles: readonly string[]) => session(`user:${canary(field)}`, roles)

const owner = { kind: 'user' as const, id: canary('agent-owner') }
const bot = session(`agent:${canary('agent')}`, ['support'], { owner })
const approver = somebody('approver', 'finance-manager')
const trigger = somebody('trigger', 'support')
const operator = somebody('operator', 'operator')
const operator2 = somebody('second-operator', 'operator')
const eraser = somebody('eraser', 'privacy-officer')

/** What is told in the clear to nobody but by key, and what names people; each as it is written. */
const PLAIN: Secrets = Object.fromEntries(
  ['order', 'intent', 'memo', 'customer', 'comment', 'error', 'result', 'fact'].map((field) => [field, canary(field)]),
)
const PEOPLE: Secrets = Object.fromEntries(
  ['agent', 'agent-owner', 'approver', 'trigger', 'operator', 'second-operator'].map((field) => [field, canary(field)]),
)

/** One proposal with a canary in everything that is kept of it, verified by a verifier and settled by two people. */
async function seeded(world: World): Promise<string> {
  world.action.business.customer = canary('customer')
  const { proposal, commitment } = await world.runtime.prepare(
    bot,
    world.input({ orderReference: canary('order'), intent: canary('intent'), memo: canary('memo') }),
  )
  await world.runtime.approve(approver, proposal, { commitment, comment: canary('comment') })
  executing(world, async () => {
    throw new Error(`declined for ${canary('error')}`)
  })
  await world.runtime.execute(trigger, proposal)
  await world.clock.advance(SETTLED_MS)
  // Shown with a fact that differs, then as it was approved.
  answering(world, (asked) => {
    const shown = found(asked)
    return unsound({ ...shown, facts: { '/orderReference': canary('fact'), '/amount': asked.snapshot.amount } })
  })
  await world.runtime.reconcile(operator, proposal, { now: true })
  await world.runtime.settle(operator, proposal, saying('did_not_occur'))
  await world.runtime.settle(operator2, proposal, saying('did_not_occur'))
  return proposal
}

/** Likewise, and done, with its result. */
async function seededAndDone(world: World): Promise<string> {
  world.action.business.customer = canary('customer')
  const { proposal, commitment } = await world.runtime.prepare(
    bot,
    world.input({ orderReference: canary('order'), intent: `${canary('intent')} and done`, memo: canary('memo') }),
  )
  await world.runtime.approve(approver, proposal, { commitment, comment: canary('comment') })
  executing(world, async () => ({
    status: 'accepted',
    externalReference: 'rf-1',
    result: { refundId: canary('result') },
  }))
  await world.runtime.execute(trigger, proposal)
  await world.clock.advance(SETTLED_MS)
  answering(world, (asked) => ({ ...found(asked), result: { refundId: canary('result') } }) as ReturnType<typeof found>)
  await world.runtime.reconcile(operator, proposal, { now: true })
  return proposal
}

/** The bytes that are kept of a proposal: sealed, wrapped, salted, committed to. */
async function bytesOf(world: World, ref: string): Promise<Secrets> {
  const { key, content, result, receiptSalt, proposal, comments } = await world.stored(ref)
  const detail = await world.bareStore.attemptDetail(proposal.effect, 1)
  const facts = rawRows<{ facts: Uint8Array }>(
    world.path ?? '',
    `select facts from observations where sealed_for = '${ref}' and facts is not null`,
  )
  return {
    'wrapped key': key.wrapped,
    'sealed snapshot': content.snapshot,
    'sealed preview': content.preview,
    ...(result === null ? {} : { 'sealed result': result }),
    ...(detail === null ? {} : { 'sealed detail': detail }),
    ...Object.fromEntries([...comments.values()].map((comment, index) => [`sealed comment ${index}`, comment])),
    ...Object.fromEntries(facts.map((row, index) => [`sealed facts ${index}`, row.facts])),
    'receipt salt': receiptSalt,
    commitment: proposal.commitment,
    fingerprint: proposal.commandFingerprint ?? '',
    subject: proposal.subject ?? '',
    'definition digest': proposal.definitionDigest,
  }
}

const path = (world: World): string => world.path ?? ''
const namesOf = (secrets: Secrets): readonly string[] => Object.keys(secrets)

describe('threat T48: what was erased', () => {
  it('threat T48 is in no file: neither what was sealed, nor who took part, nor what would open it', async () => {
    // Closed before the end of the test, so that the files can be looked at then.
    const world = await openOperators({ store: 'sqlite', contract: { permissions }, verified: false })
    const refs = [await seededAndDone(world), await seeded(world)]
    const bytes = await Promise.all(refs.map(async (ref) => bytesOf(world, ref)))
    // Before: people are told in the clear, content only under its key.
    expect(residueBeside(path(world), PLAIN)).toEqual([])
    expect(residueBeside(path(world), PEOPLE)).toEqual(namesOf(PEOPLE))
    for (const secrets of bytes) expect(residueBeside(path(world), secrets)).toEqual(namesOf(secrets))
    expect(namesOf(bytes[0] ?? {})).toEqual(
      expect.arrayContaining(['sealed result', 'sealed detail', 'sealed comment 0']),
    )
    expect(namesOf(bytes[1] ?? {})).toEqual(expect.arrayContaining(['sealed facts 0', 'sealed detail']))

    for (const ref of refs) {
      expect(await world.runtime.erase(eraser, ref, why)).toMatchObject({ outcome: 'erased' })
    }

    const all = { ...PLAIN, ...PEOPLE, eraser: canary('eraser'), role: 'finance-manager' }
    expect(residueBeside(path(world), all)).toEqual([])
    for (const secrets of bytes) expect(residueBeside(path(world), secrets)).toEqual([])
    await world.bareStore.close()
    for (const secrets of [all, ...bytes]) expect(residueBeside(path(world), secrets)).toEqual([])
  })

  it('threat T48 takes nothing of its neighbours along', async () => {
    const world = await openOperators({ store: 'sqlite', contract: { permissions } })
    const neighbour = await seededAndDone(world)
    const kept = await bytesOf(world, neighbour)
    const view = await world.runtime.read(reader, neighbour)
    const ref = await seeded(world)

    await world.runtime.erase(eraser, ref, why)

    expect(residueBeside(path(world), kept)).toEqual(namesOf(kept))
    expect(await world.runtime.read(reader, neighbour)).toEqual({ ...view, related: [] })
  })

  it('threat T48 is not said to be erased while another process still reads what was there', async () => {
    const world = await openOperators({ store: 'sqlite', contract: { permissions } })
    const ref = await seededAndDone(world)
    const bytes = await bytesOf(world, ref)
    const other = new Database(path(world))
    other.exec('begin')
    other.prepare('select count(*) from proposals').all()

    const asked = await world.runtime.erase(eraser, ref, why)
    expect(asked).toMatchObject({ outcome: 'erasure_deferred', reason: 'files_in_use', proposal: ref })
    expect(await world.runtime.read(reader, ref)).toMatchObject({ kind: 'erased' })
    expect(residueBeside(path(world), bytes)).not.toEqual([])
    expect(await world.runtime.eraseDue(eraser)).toMatchObject([{ proposal: ref, reason: 'files_in_use' }])
    other.close()

    expect(await world.runtime.eraseDue(eraser)).toMatchObject([{ outcome: 'erased', proposal: ref }])
    expect(residueBeside(path(world), bytes)).toEqual([])
    expect(await world.runtime.eraseDue(eraser)).toEqual([])
  })

  it('threat T48 is in no file after a rotation either, under the old key or the new one', async () => {
    const text = newKeyringText()
    const world = await openOperators({ store: 'sqlite', keyring: localKeyring(text), contract: { permissions } })
    const ref = await seededAndDone(world)
    const before = await bytesOf(world, ref)
    const keyring = localKeyring(withNewKey(text).text)
    expect(await rotateKeys({ store: world.store, keyring })).toMatchObject({ rewrapped: 1, failed: [] })
    const after = await bytesOf(world, ref)
    expect(after['wrapped key']).not.toEqual(before['wrapped key'])
    const rotated = await world.open({ keyring })

    expect(await rotated.erase(eraser, ref, why)).toMatchObject({ outcome: 'erased' })

    for (const secrets of [before, after]) expect(residueBeside(path(world), secrets)).toEqual([])
  })
})

describe('the search for residue', () => {
  const secret = 'a secret of some length'
  it.each([
    ['as it is', Buffer.from(secret)],
    ['in UTF-16', Buffer.from(secret, 'utf16le')],
    ['in UTF-16, the other way round', Buffer.from(secret, 'utf16le').swap16()],
    ['in hex', Buffer.from(Buffer.from(secret).toString('hex'))],
    ['in base 64', Buffer.from(Buffer.from(`a${secret}`).toString('base64'))],
    ['in base 64, shifted by one more', Buffer.from(Buffer.from(`ab${secret}cd`).toString('base64url'))],
  ])('finds what is written %s', async (_, written) => {
    const world = await openOperators({ store: 'sqlite' })
    expect(residueBeside(path(world), { secret })).toEqual([])

    writeFileSync(
      join(dirname(path(world)), 'other'),
      Buffer.concat([Buffer.from('before'), written, Buffer.from('!')]),
    )

    expect(readdirSync(dirname(path(world)))).toContain('other')
    expect(residueBeside(path(world), { secret })).toEqual(['secret'])
  })
})
