// Clauses about what an action prepares, shows and resolves: the same effect for the same command, pure, and read only.
import process from 'node:process'
import { canonicalJson, type JsonValue } from '../../effect/canonical-json.ts'
import { driftPaths } from '../../proposal/content/drift.ts'
import { isIdentifying } from '../../proposal/content/effect-reference.ts'
import { type Clause, demand } from '../clause.ts'
import { findSensitive } from '../find-sensitive.ts'
import type { Bench, Ready } from './bench.ts'

/** What `prepare` answers, and what it leaves alone. */
export const prepareClauses: readonly Clause<Bench>[] = [
  {
    clause: 'prepare.answers',
    rule: 'prepare answers a snapshot and an effect reference in their shapes.',
    run: async (bench) => void (await bench.fresh()),
  },
  {
    clause: 'prepare.same_effect',
    rule: 'The same command names the same effect, also after the business has changed.',
    restsOn: ['prepare.answers'],
    async run(bench) {
      const ready = await bench.fresh()
      const again = await bench.prepared(ready.command)
      await firstChange(bench, ready)
      const later = await bench.prepared(ready.command)
      const same = [again, later].every(({ effectReference }) => effectReference === ready.effect.reference)
      demand(same, 'effect_reference_unstable', 'The same command named another effect when it was prepared again.')
    },
  },
  {
    clause: 'prepare.repeatable',
    rule: 'The same command on the same state gives the same snapshot in all that is material.',
    restsOn: ['prepare.answers'],
    async run(bench) {
      const ready = await bench.fresh()
      const { snapshot } = await bench.prepared(ready.command)
      const paths = driftPaths(ready.snapshot, snapshot as JsonValue, bench.definition.materiality)
      const told = `The same command on the same state gave another snapshot: ${paths.join(', ')}.`
      demand(paths.length === 0, 'snapshot_not_repeatable', told)
    },
  },
  {
    clause: 'prepare.other_effect',
    rule: 'Commands for different effects name different effects.',
    restsOn: ['prepare.same_effect'],
    async run(bench) {
      const [one, other] = [await bench.fresh(), await bench.fresh()]
      const differ = one.effect.reference !== other.effect.reference
      demand(differ, 'effect_reference_shared', 'Two commands for different effects named one and the same effect.')
    },
  },
  {
    clause: 'prepare.opaque_reference',
    rule: 'The effect reference, which outlives erasure, says nothing of the command or the snapshot.',
    restsOn: ['prepare.answers'],
    async run(bench) {
      const { effect, command, snapshot } = await bench.fresh()
      const says = isIdentifying(effect.reference, [command as JsonValue, snapshot])
      demand(
        !says,
        'effect_reference_identifying',
        'The effect reference contains a string of the command or snapshot.',
      )
    },
  },
  {
    clause: 'prepare.reads_only',
    rule: 'prepare writes nothing at the target.',
    restsOn: ['prepare.answers'],
    async run(bench) {
      const written = await writesDuring(bench, async () => void (await bench.fresh()))
      demand(written === 0, 'prepare_writes', `prepare made ${written} requests to write at the target.`)
    },
  },
]

/** What `preview` shows. */
export const previewClauses: readonly Clause<Bench>[] = [
  {
    clause: 'preview.answers',
    rule: 'preview answers in its shape.',
    restsOn: ['prepare.answers'],
    run: async (bench) => void bench.preview((await bench.fresh()).snapshot),
  },
  {
    clause: 'preview.pure',
    rule: 'The preview is a function of the snapshot and of nothing else, not even of the time zone of the process.',
    restsOn: ['preview.answers'],
    async run(bench) {
      const ready = await bench.fresh()
      const shown = text(bench.preview(ready.snapshot))
      const again = text(bench.preview(ready.snapshot))
      await firstChange(bench, ready)
      const later = text(bench.preview(ready.snapshot))
      demand(shown === again && again === later, 'preview_impure', 'The same snapshot was shown differently.')
      for (const zone of ZONES) {
        const there = await inTimeZone(zone, async () => text(bench.preview(ready.snapshot)))
        demand(there === shown, 'preview_impure', `The same snapshot was shown differently in the time zone ${zone}.`)
      }
    },
  },
  {
    clause: 'preview.no_secrets',
    rule: 'The preview carries no seeded secret.',
    restsOn: ['preview.answers'],
    lacks: lacksSecrets,
    async run(bench) {
      const shown = bench.preview((await bench.fresh()).snapshot)
      const [found] = findSensitive(shown, bench.world.secrets)
      demand(found === undefined, 'preview_leaks', `The preview carries a seeded secret at ${found?.path}.`)
    },
  },
]

/** What `resolve` says of the business now. */
export const resolveClauses: readonly Clause<Bench>[] = [
  {
    clause: 'resolve.answers',
    rule: 'resolve answers the state as it is and a precondition.',
    restsOn: ['prepare.answers'],
    run: async (bench) => void (await bench.resolve(await bench.fresh())),
  },
  {
    clause: 'resolve.still',
    rule: 'Where nothing has changed there is no drift.',
    restsOn: ['resolve.answers'],
    async run(bench) {
      const { drift } = await bench.resolve(await bench.fresh())
      const told = drift === null ? '' : `${drift.reason} ${drift.paths.join(', ')}`.trim()
      demand(drift === null, 'drift_without_change', `Nothing had changed, and there was drift: ${told}.`)
    },
  },
  {
    clause: 'resolve.repeatable',
    rule: 'The same state is resolved alike however often, and in whatever time zone the process stands.',
    restsOn: ['resolve.still'],
    async run(bench) {
      const ready = await bench.fresh()
      for (const zone of ZONES) {
        const { drift } = await inTimeZone(zone, async () => bench.resolve(ready))
        const told = `The same state was resolved differently in the time zone ${zone}: ${drift?.paths.join(', ')}.`
        demand(drift === null, 'resolution_not_repeatable', told)
      }
    },
  },
  {
    clause: 'resolve.material_drift',
    rule: 'Every material change is drift.',
    restsOn: ['resolve.still'],
    lacks: ({ world }) => (Object.keys(world.changes).length === 0 ? 'The world changes nothing material.' : null),
    async run(bench) {
      for (const [name, change] of Object.entries(bench.world.changes)) {
        const ready = await bench.fresh()
        await change(ready.command)
        const { drift } = await bench.resolve(ready)
        demand(drift !== null, 'drift_missed', `The change "${name}" was not seen as drift.`)
      }
    },
  },
  {
    clause: 'resolve.reads_only',
    rule: 'resolve writes nothing at the target.',
    restsOn: ['resolve.answers'],
    async run(bench) {
      const ready = await bench.fresh()
      const written = await writesDuring(bench, async () => void (await bench.resolve(ready)))
      demand(written === 0, 'resolve_writes', `resolve made ${written} requests to write at the target.`)
    },
  },
]

/** Only for a contract that declares something immaterial. */
export const immaterialClause: Clause<Bench> = {
  clause: 'resolve.immaterial',
  rule: 'A change of what is declared immaterial is no drift.',
  restsOn: ['resolve.still'],
  lacks({ world: { immaterialChanges = {} } }) {
    return Object.keys(immaterialChanges).length === 0 ? 'The world changes nothing immaterial.' : null
  },
  async run(bench) {
    for (const [name, change] of Object.entries(bench.world.immaterialChanges ?? {})) {
      const ready = await bench.fresh()
      await change(ready.command)
      const { drift } = await bench.resolve(ready)
      demand(drift === null, 'drift_on_immaterial', `The immaterial change "${name}" was seen as drift.`)
    }
  },
}

/** How many requests to write were made meanwhile, as the world counts them. */
export async function writesDuring({ world }: Bench, act: () => Promise<void>): Promise<number> {
  const before = await world.writes()
  await act()
  return (await world.writes()) - before
}

/** In which no two have the same date at the same time for long. */
const ZONES = ['UTC', 'America/Chicago', 'Pacific/Kiritimati'] as const

/** Calendar dates that pass through instants show themselves only elsewhere (case C108). */
async function inTimeZone<T>(zone: string, act: () => Promise<T>): Promise<T> {
  const before = process.env['TZ']
  process.env['TZ'] = zone
  try {
    return await act()
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
}

/** What is missing where nothing secret was seeded. */
export function lacksSecrets({ world }: Bench): string | null {
  return world.secrets.length === 0 ? 'The world seeds no secrets.' : null
}

async function firstChange({ world }: Bench, { command }: Ready): Promise<void> {
  const change = Object.values(world.changes)[0]
  await change?.(command)
}

function text(value: JsonValue): string {
  return canonicalJson(value, { numbers: 'integers' })
}
