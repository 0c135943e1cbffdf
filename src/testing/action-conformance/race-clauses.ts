// The race between approval and effect: another writer comes after the last look, on many seeded schedules.
import { type Clause, demand } from '../clause.ts'
import type { Bench, ExecutorEnd } from './bench.ts'

/** What the schedules showed. */
interface Raced {
  readonly moment: 'before the call' | 'before the write'
  readonly change: string
  readonly schedule: number
  readonly staleEffects: number
  readonly end: ExecutorEnd
}

/** The clauses over `schedules` places of a writer between resolve and mutation. Spec: harness 3, seed "final race". */
export function raceClauses(schedules: number): readonly Clause<Bench>[] {
  const raced: Raced[] = []
  return [
    {
      clause: 'execute.precondition',
      rule: `On ${schedules} schedules with a writer between resolve and mutation no effect stands on stale state.`,
      restsOn: ['execute.effect', 'resolve.material_drift'],
      async run(bench) {
        for (let schedule = 1; schedule <= schedules; schedule += 1) {
          const race = await raceOnce(bench, schedule)
          raced.push(race)
          const { staleEffects, change, moment } = race
          const where = `schedule ${schedule} of seed ${bench.seed}, "${change}" ${moment}`
          demand(staleEffects === 0, 'stale_effect', `An effect stands on stale state: ${where}.`)
        }
      },
    },
    {
      clause: 'execute.stale_answer',
      rule: 'On stale state the executor says stale_no_effect.',
      restsOn: ['execute.precondition'],
      async run(bench) {
        for (const { end, schedule, change, moment } of raced) {
          const answer = end.kind === 'threw' ? 'a throw' : end.answer.status
          const where = `schedule ${schedule} of seed ${bench.seed}, "${change}" ${moment}`
          demand(answer === 'stale_no_effect', 'stale_not_said', `Stale state was answered with ${answer}: ${where}.`)
        }
      },
    },
  ]
}

async function raceOnce(bench: Bench, schedule: number): Promise<Raced> {
  const { world } = bench
  const changes = Object.entries(world.changes)
  const [change, apply] = changes[Math.floor(bench.fraction() * changes.length)] ?? ['', async () => {}]
  const moment = bench.fraction() < 0.5 ? 'before the call' : 'before the write'
  const ready = await bench.fresh()
  const before = await bench.effects(ready)
  const resolution = await bench.resolve(ready)
  const act = async (): Promise<void> => apply(ready.command)
  if (moment === 'before the call') await act()
  else world.beforeNextWrite(act)
  const end = await bench.execute(ready, resolution).finally(() => world.beforeNextWrite(null))
  return { moment, change, schedule, staleEffects: (await bench.effects(ready)) - before, end }
}
