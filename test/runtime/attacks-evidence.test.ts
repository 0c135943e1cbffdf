// Attacks on evidence: a crash between the evidence and its status, and an erasure while the target is being asked.
import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/proposal/errors.ts'
import { rawRows } from '../store/sqlite-fixture.ts'
import { type ExecutionOptions, observes, openExecution, touch } from './execution-world.ts'
import { answerOf, HOUR_MS, matching, STORES } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import {
  type Answer,
  answering,
  effectBehind,
  found,
  foundOther,
  inDoubt,
  openOperators,
  permissions,
  refusing,
  SETTLED_MS,
  unavailable,
} from './operators.ts'
import { residueBeside } from './residue.ts'
import { operator, privacy, reader, service } from './sessions.ts'

const INTENT = 'the one that is looked at'

/** A refused refund that the target has after all; the process dies after the evidence of it is stored, before its status. */
async function openCrashed(options: ExecutionOptions) {
  let phase: 'before' | 'armed' | 'raced' | 'dead' = 'before'
  let onRace = async (): Promise<void> => {}
  const around: Around = async (name, call, change) => {
    if (name !== 'commit' || phase === 'before') return call()
    if (phase === 'dead') throw new StoreUnavailable('the process is gone')
    if (phase === 'armed' && observes(change) && change.proposals.length > 0) {
      phase = 'raced'
      await onRace()
      return call()
    }
    const answer = await call()
    if (phase === 'raced' && observes(change)) phase = 'dead'
    return answer
  }
  const world = await openExecution({ ...options, around, contract: { permissions } })
  world.action.methods.execute = refusing
  const proposal = await world.approved(INTENT)
  await world.execute(proposal)
  onRace = () => touch(world, proposal)
  answering(world, found)
  phase = 'armed'
  await answerOf(world.runtime.reconcile(operator, proposal, { now: true }))
  const crashed = phase
  phase = 'before'
  return { world, proposal, crashed }
}

describe.each(STORES)('a crash after evidence was appended alone, on %s', (store) => {
  it('rule R3: the effect is due at once, and whoever reads sees its evidence', async () => {
    // Nobody follows the evidence up here.
    const { world, proposal, crashed } = await openCrashed({ store, except: ['I14'] })

    expect(crashed).toBe('dead')
    const effect = await world.effect(proposal)
    expect(effect.observations.at(-1)).toMatchObject({ source: 'verifier', verdict: 'CONFIRMED' })
    expect(effect.verifyDueAt).toBe(world.clock.now())
    const { items } = await (await world.open()).list(operator, { due: true })
    expect(items.map(({ proposal: ref }) => ref)).toEqual([proposal])
  })

  it.each<{ says: string; next: Answer }>([
    { says: 'the same', next: found },
    { says: 'nothing', next: unavailable },
  ])('rule R3: the next look writes the status, and a person is asked, also if the target says $says', async (row) => {
    const { world, proposal } = await openCrashed({ store })
    const runtime = await world.open()
    answering(world, row.next)
    await world.clock.advance(HOUR_MS)

    await runtime.reconcile(service, proposal)

    const { status, attention } = (await world.stored(proposal)).proposal
    expect([status, attention]).toEqual(['verification_unresolved', ['conflicting_evidence']])
    const { items } = await runtime.list(operator, { needsPerson: true })
    expect(items.map(({ proposal: ref }) => ref)).toEqual([proposal])
  })
})

const REFERENCE = 'rf-canary-4711'
const RESULT = 'result-canary-4711'

/** What a target answers that looked while the proposal was erased. */
const naming: Readonly<Record<string, Answer>> = {
  'a completion': (asked) => ({ ...found(asked), ...NAMED }),
  'a completion of something else': (asked) => ({ ...foundOther(asked), ...NAMED }),
  'an outage with a reason': () => ({ status: 'target_unavailable', reason: 'canary_reason' }),
}
const NAMED = { externalReference: REFERENCE, result: { refundId: RESULT } } as const

describe.each(STORES)('an erasure while the target is being asked, on %s', (store) => {
  it.each(Object.entries(naming))('rule R19: of %s nothing is stored that names anything', async (_title, answer) => {
    const world = await openOperators({ store })
    const proposal = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    answering(world, found)
    expect((await world.runtime.reconcile(service, proposal)).status).toBe('verified')
    const { key, observations } = await effectBehind(world, proposal)
    world.action.methods.verify = async (asked) => {
      await world.runtime.erase(privacy, proposal, { reason: 'asked_by_subject' })
      return answer(asked)
    }

    await answerOf(world.runtime.reconcile(operator, proposal, { now: true }))

    expect(await world.runtime.read(reader, proposal)).toMatchObject({ kind: 'erased' })
    const effect = await world.bareStore.effect(key)
    expect(effect?.observations.slice(observations.length)).toEqual([
      matching({ source: 'verifier', reason: null, externalReference: null }),
    ])
    expect(JSON.stringify(effect)).not.toContain('canary')
    const secrets = { reference: REFERENCE, result: RESULT }
    expect(world.path === null ? [] : residueBeside(world.path, secrets)).toEqual([])
    const sql = 'select sequence from observations where facts is not null'
    expect(world.path === null ? [] : rawRows(world.path, sql)).toEqual([])
  })
})
