// A campaign of the fuzzer: so many cases, in worlds of some dozens each, from one seed.
import { fc } from '@fast-check/vitest'
import type { StoreName } from '../../store/fresh-stores.ts'
import { reach, type State } from '../../runtime/states.ts'
import { Tally } from '../../model/run.ts'
import { type Judge, judgeOf } from '../validated-app.ts'
import { type Case, casesOf } from './cases.ts'
import { POWERFUL, tokenOf } from './callers.ts'
import { openFuzzWorld } from './fuzz-world.ts'
import { MEANINGS } from './holes.ts'
import { MOODS } from './moods.ts'
import { type FuzzedDocument, type Operation, operationsOf } from './operations.ts'
import { type Answering, Run, type Step } from './run.ts'
import type { JsonSchema } from './schema.ts'
import { type Drawing, validValue } from './valid-value.ts'

/** How a campaign is carried out. */
export interface CampaignOptions {
  readonly store: StoreName
  readonly cases: number
  readonly seed?: number
  readonly path?: string
  /** In place of the app. */
  readonly answering?: Answering
  /** Ends at the first failure as it was drawn, and looks for no smaller one. */
  readonly endOnFailure?: boolean
}

/** A run draws up to so many steps, and as many on average. */
const STEPS_MAX = 100
const CASES_A_RUN = 45

/** @throws an error with the seed, the path and the failed checks */
export async function fuzz({ store, cases, answering, ...repeated }: CampaignOptions): Promise<Tally> {
  const tally = new Tally()
  const { operations, drawing, judge } = await documented()
  const setting = fc.record({
    store: fc.constant(store),
    states: fc.array(fc.constantFrom(...(Object.keys(reach) as State[])), { minLength: 3, maxLength: 8 }),
    seed: fc.nat(),
  })
  const property = fc.asyncProperty(setting, stepsOf(operations, drawing), async (drawn, steps) => {
    const world = await openFuzzWorld(drawn)
    try {
      const run = await Run.open(world, { tally, judge, answering: answering ?? itself })
      for (const step of steps) await run.step(step)
    } finally {
      await world.close()
    }
  })
  await fc.assert(property, { numRuns: Math.ceil(cases / CASES_A_RUN), ...repeated })
  return tally
}

const itself: Answering = async (request, world) => world.app.fetch(request)

interface Documented {
  readonly operations: readonly Operation[]
  readonly drawing: Drawing
  readonly judge: Judge
}

/** What the app tells of itself: its document, and the schema of its action's command. */
async function documented(): Promise<Documented> {
  const world = await openFuzzWorld({ store: 'memory', states: [], seed: 1 })
  const ask = async (path: string): Promise<unknown> => {
    return (
      await world.app.request(path, { headers: { Authorization: `Bearer ${tokenOf(POWERFUL[0] ?? '')}` } })
    ).json()
  }
  const document = (await ask('/openapi.json')) as FuzzedDocument
  const { items } = (await ask('/v1/actions')) as { items: { schemas: { command: JsonSchema } }[] }
  const judge = await judgeOf(world.app, '')
  await world.close()
  const { schemas } = document.components
  const command = items[0]?.schemas.command ?? {}
  const drawing = { schemas, meanings: MEANINGS }
  return {
    judge,
    operations: operationsOf(document),
    drawing: { ...drawing, meanings: { ...MEANINGS, command: validValue(command, drawing) } },
  }
}

/** The mood after which little is left that can be decided on. */
const CLOSING = 'hours pass'

// The pages that nobody has to be known for are few, large, and always the same.
function stepsOf(operations: readonly Operation[], drawing: Drawing): fc.Arbitrary<Step[]> {
  const cases: fc.Arbitrary<Case> = fc.oneof(
    ...operations.map((one) => ({ weight: one.isClosed ? 20 : 1, arbitrary: casesOf(one, drawing) })),
  )
  const mood = fc.oneof(
    { weight: 60, arbitrary: fc.constant('nothing') },
    { weight: 40, arbitrary: fc.constantFrom(...Object.keys(MOODS).filter((one) => one !== CLOSING)) },
    { weight: 1, arbitrary: fc.constant(CLOSING) },
  )
  return fc.array(fc.record({ mood, asked: cases }), { minLength: 1, maxLength: STEPS_MAX, size: 'max' })
}
