// Cases of two connections at once: whatever they race for, one of them gets it, and each sees what the other has done.
import assert from 'node:assert/strict'
import type { Change, Conflict, Store } from '../../runtime/ports.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { erasing, inserting, updating } from './sample-changes.ts'
import { ending, observing, raising } from './sample-effects.ts'
import { inStatus, nextRef, SAMPLE_TENANT, sampleProposal } from './sample-proposals.ts'
import { attempted, commits, effectOf, evidence, liveOf, moved, prepared } from './steps.ts'

const ROUNDS = 5

/** Guarantee 1 over two connections: what one has committed the other reads, and nothing is skipped. */
export const sharedReadCases: readonly ConformanceCase[] = [
  {
    code: 'write_not_seen_elsewhere',
    title: 'what one connection has committed every other reads',
    needs: ['second'],
    async run({ store, second }) {
      const other = await second()
      const live = await prepared(other, {}, { requestKeyHash: 'hash-1' })
      const approved = await moved(store, live, 'approved')

      assert.deepEqual(await liveOf(other, live.proposal), approved)
      assert.equal(await store.byRequestKey(SAMPLE_TENANT, 'hash-1'), live.proposal.ref)
      assert.equal((await store.receipts(SAMPLE_TENANT, live.proposal.ref)).length, 2)
    },
  },
  {
    code: 'event_skipped',
    title: 'a reader of events misses none, whoever commits meanwhile',
    needs: ['second'],
    async run({ store, second }) {
      const other = await second()
      const changes = Array.from({ length: 24 }, () => inserting(sampleProposal()))
      const seen: string[] = []
      let position = 0
      const readOn = async (): Promise<void> => {
        for (const event of await store.events(SAMPLE_TENANT, position, 3)) {
          assert(event.position > position, 'positions grow')
          position = event.position
          seen.push(event.proposal)
        }
      }

      const committing = changes.map((change, index) => (index % 2 === 0 ? store : other).commit(change))
      for (let round = 0; round < 4; round += 1) await readOn()
      await Promise.all(committing)
      for (let before = -1; before !== seen.length; ) {
        before = seen.length
        await readOn()
      }

      assert.deepEqual(seen.toSorted(), changes.map(refOf).toSorted())
    },
  },
]

/** Guarantee 2 over two connections: names are given once. */
export const nameRaceCases: readonly ConformanceCase[] = [
  {
    code: 'reference_raced',
    title: 'of two connections that give one reference one succeeds',
    needs: ['second'],
    async run({ store, second }) {
      const other = await second()
      for (let round = 0; round < ROUNDS; round += 1) {
        const ref = nextRef()
        const rivals = [sampleProposal({ ref }), sampleProposal({ ref, subject: null })].map((one) => inserting(one))
        await oneWins(store, other, rivals, ['exists'])
      }
    },
  },
  {
    code: 'request_key_raced',
    title: 'of two connections that use one request key one succeeds, and that is the proposal which is found by it',
    needs: ['second'],
    async run({ store, second }) {
      const other = await second()
      for (let round = 0; round < ROUNDS; round += 1) {
        const requestKeyHash = `hash-${round}`
        const rivals = [sampleProposal(), sampleProposal()].map((one) => inserting(one, { requestKeyHash }))
        const winner = await oneWins(store, other, rivals, ['request_key'])
        assert.equal(await store.byRequestKey(SAMPLE_TENANT, requestKeyHash), refOf(winner))
      }
    },
  },
]

/** Guarantee 4 over two connections: an attempt ends once, and a raised fence holds. */
export const attemptRaceCases: readonly ConformanceCase[] = [
  {
    code: 'attempt_ended_twice_elsewhere',
    title: 'of two connections that end one attempt one does',
    needs: ['second'],
    async run({ store, second }) {
      const other = await second()
      for (let round = 0; round < ROUNDS; round += 1) {
        const { effect } = await attempted(store)
        const rivals = [ending(effect), ending(effect, { kind: 'failed_known', evidence: 'FAILED' })].map(evidence)
        const winner = await oneWins(store, other, rivals, ['fenced', 'effect'])
        const { attempts } = await effectOf(other, effect.key)
        assert.deepEqual(attempts[0]?.ending, winner.effect?.ended?.ending)
      }
    },
  },
  {
    code: 'fence_raced',
    title: 'a raised fence and a late end exclude each other over two connections',
    needs: ['second'],
    async run({ store, second }) {
      const other = await second()
      for (let round = 0; round < ROUNDS; round += 1) {
        const { effect } = await attempted(store)
        const fence = evidence(raising(effect, { epoch: effect.epoch + 1 }))
        await oneWins(store, other, [evidence(ending(effect)), fence], ['fenced', 'effect'])
      }
    },
  },
]

/** Guarantees 8 and 12 over two connections: erasure races with a move, and evidence with nothing but evidence. */
export const recordRaceCases: readonly ConformanceCase[] = [
  {
    code: 'erasure_raced',
    title: 'of an erasure and a move of one proposal one happens',
    needs: ['second'],
    async run({ store, second }) {
      const other = await second()
      for (let round = 0; round < ROUNDS; round += 1) {
        const live = await moved(store, await prepared(store), 'verified')
        const move = updating(live, inStatus(live.proposal, 'verification_unresolved'))
        await oneWins(store, other, [erasing(live), move], ['revision', 'erased'])
      }
    },
  },
  {
    code: 'evidence_refused_while_moving',
    title: 'evidence is appended while another connection moves the proposal',
    needs: ['second'],
    async run({ store, second }) {
      const other = await second()
      for (let round = 0; round < ROUNDS; round += 1) {
        const { live, effect } = await attempted(store)
        await commits(store, evidence(ending(effect)))
        const seen = observing(await effectOf(store, effect.key), { verdict: 'CONFIRMED' })
        const move = updating(live, inStatus(live.proposal, 'failed_unknown'))

        const answers = await Promise.all([store.commit(evidence(seen)), other.commit(move)])

        assert.deepEqual(
          answers.map(({ kind }) => kind),
          ['committed', 'committed'],
        )
        assert.equal((await effectOf(other, effect.key)).observations.length, 1)
      }
    },
  },
]

/** Commits two rivals over two connections; one lands, the other is told one of these conflicts. Answers the winner. */
async function oneWins(
  store: Store,
  other: Store,
  [first, second]: readonly Change[],
  conflicts: readonly Conflict['on'][],
): Promise<Change> {
  assert(first !== undefined && second !== undefined)
  const answers = await Promise.all([store.commit(first), other.commit(second)])
  const lost = answers.flatMap((answer) => (answer.kind === 'conflict' ? [answer.on] : []))
  assert.equal(lost.length, 1, JSON.stringify(answers))
  assert(lost[0] !== undefined && conflicts.includes(lost[0]), `the loser is told ${lost[0]}`)
  return answers[0].kind === 'committed' ? first : second
}

function refOf({ proposals: [write] }: Change): string {
  assert(write !== undefined && write.kind !== 'erase')
  return write.proposal.ref
}
