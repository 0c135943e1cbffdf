// Clauses about looking back: what stands is found whole, and what cannot be seen is no absence.
import { ClauseFailure, demand } from '../clause.ts'
import type { FindFault, Looked } from './provider-adapter.ts'
import { lacksFindFault, lacksSendFault, type ProviderBench, type ProviderClause } from './provider-bench.ts'

/** Of `find`. Spec: harness 4b. */
export const findingClauses: readonly ProviderClause[] = [
  {
    clause: 'find.fresh',
    rule: 'After the declared settle time an effect is found with its id.',
    restsOn: ['send.effect'],
    async run(bench) {
      const { key, id } = await bench.accepted()
      const { ids } = foundIn(await bench.settled(key), 'fresh_not_found')
      demand(ids.includes(id), 'other_id_found', 'An effect is found under another id than was answered.')
    },
  },
  {
    clause: 'find.echo',
    rule: 'What is found is echoed by the key that it carries.',
    restsOn: ['find.fresh'],
    async run(bench) {
      const call = await bench.accepted()
      const { key } = foundIn(await bench.settled(call.key), 'fresh_not_found')
      demand(key === call.key, 'key_not_echoed', 'What is found is not echoed by its own key.')
    },
  },
  {
    clause: 'find.unknown_key',
    rule: 'Under a key that was never used nothing is found, also when one that was begins like it, or it like that one.',
    restsOn: ['find.fresh'],
    async run(bench) {
      const { key } = await bench.accepted()
      for (const unused of [bench.fresh().key, key.slice(0, -1), `${key}-more`]) {
        const looked = await bench.settled(unused)
        demand(looked.kind !== 'found', 'foreign_effect_found', 'An effect is found under a key that was never used.')
      }
    },
  },
  {
    clause: 'find.refused',
    rule: 'A request that was refused is no effect.',
    restsOn: ['find.fresh', 'errors.refusal'],
    lacks: lacksSendFault('refused'),
    async run(bench) {
      const call = bench.fresh()
      await bench.double.sendFaults.refused?.()
      await bench.adapter.send(call)
      const looked = await bench.settled(call.key)
      demand(looked.kind !== 'found', 'refusal_found', 'A request that was refused is found as an effect.')
    },
  },
  {
    clause: 'find.two_as_two',
    rule: 'Two effects under one key are reported as two.',
    restsOn: ['find.fresh'],
    lacks: ({ double }) => (double.duplicate === undefined ? 'The double cannot double an effect.' : null),
    async run(bench) {
      const { key } = await bench.accepted()
      await bench.double.duplicate?.(key)
      const { ids } = foundIn(await bench.settled(key), 'double_hidden')
      demand(
        new Set(ids).size === 2,
        'double_reported_as_one',
        `The effect stands twice, and ${ids.length} is reported.`,
      )
    },
  },
  blinded('outage', 'outage_called_absent', 'An outage'),
  blinded('credentials_expired', 'credentials_called_absent', 'An answer to expired credentials'),
  blinded('truncated_page', 'truncation_called_absent', 'A page that was cut off'),
  blinded(
    'blind',
    'blindness_called_absent',
    'A look-up without a positive control, at a provider that shows nothing,',
  ),
  {
    clause: 'find.reads_only',
    rule: 'Looking writes nothing.',
    restsOn: ['find.fresh'],
    async run(bench) {
      const { key } = await bench.accepted()
      const before = (await bench.double.wire()).length
      await bench.settled(key)
      await bench.settled(bench.fresh().key)
      const written = (await bench.double.wire()).slice(before).filter(({ writes }) => writes).length
      demand(written === 0, 'find_writes', `Looking made ${written} requests to write.`)
    },
  },
  {
    clause: 'find.pages',
    rule: 'A look-up goes on to the last page.',
    restsOn: ['find.fresh'],
    lacks: ({ double }) => (double.crowd === undefined ? 'The double has no pages.' : null),
    async run(bench) {
      const before = await bench.accepted()
      await bench.double.crowd?.()
      const after = await bench.accepted()
      for (const { key } of [before, after]) foundIn(await bench.settled(key), 'page_missed')
    },
  },
]

/** Of an effect that stands and cannot be seen nothing is known. */
function blinded(fault: FindFault, code: string, what: string): ProviderClause {
  return {
    clause: `find.${fault}`,
    rule: `${what} is no absence.`,
    restsOn: ['find.fresh'],
    lacks: lacksFindFault(fault),
    async run(bench: ProviderBench) {
      const { key } = await bench.accepted()
      await bench.double.advance(bench.adapter.declares.settleMs)
      await bench.double.findFaults[fault]?.()
      const { kind } = await bench.adapter.find(key)
      demand(kind !== 'absent', code, `${what} is reported as absence, while the effect stands.`)
    },
  }
}

function foundIn(looked: Looked, code: string): Extract<Looked, { kind: 'found' }> {
  if (looked.kind === 'found') return looked
  throw new ClauseFailure(code, `An effect stands, and the look-up says ${looked.kind}.`)
}
