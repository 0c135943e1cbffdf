// The limit of PostgreSQL for one change at a time: each step is one prepared statement of common table expressions.
import { Pool } from 'pg'
import { type Place, placeOf, sqlOf, valueAt } from './bound-write.ts'
import type { Loop } from '../loop.ts'
import { eventNumbers, preparePostgresLoop, SEARCH_PATH } from './postgres-schema.ts'
import { ownValuesOf, type RecordedLifecycle } from './recorded-lifecycle.ts'
import type { Step, Value } from './recorder.ts'
import { assertWritten } from './written.ts'

/** As many connections as our own store has by default. */
const CONNECTIONS = 10

/** One round trip and one commit a step. */
export async function postgresStepLoop(url: string, recorded: RecordedLifecycle): Promise<Loop> {
  await preparePostgresLoop(url)
  const pool = new Pool({ connectionString: url, max: CONNECTIONS, options: SEARCH_PATH })
  const steps = recorded.steps.map((step, index) => ({ name: `step_${index}`, ...statementOf(recorded, step) }))
  let started = 0
  let ended = 0
  return {
    async run() {
      started += 1
      const own = ownValuesOf(recorded, started)
      for (const { name, text, places, updates } of steps) {
        const values = places.map((place) => valueAt(place, own))
        const { rows } = await pool.query<{ changed: string }>({ name, text, values })
        if (Number(rows[0]?.changed) !== updates) throw new Error('A row was not written')
      }
      ended += 1
    },
    assertOnce: () => assertWritten(url, ended),
    close: () => pool.end(),
  }
}

interface StepStatement {
  readonly text: string
  readonly places: readonly Place[]
  /** How many rows its updates are to change. */
  readonly updates: number
}

function statementOf(recorded: RecordedLifecycle, step: Step): StepStatement {
  const known = new Map<Value, string>()
  const places: Place[] = []
  const place = (value: Value): string => {
    const text = known.get(value) ?? `$${places.push(placeOf(recorded, value))}`
    known.set(value, text)
    return text
  }
  const writes = step.map((write, index) => {
    return `w${index} as (${sqlOf(write, place, eventNumbers(write.table))} returning 1)`
  })
  const updated = step.flatMap(({ kind }, index) => (kind === 'update' ? [`(select count(*) from w${index})`] : []))
  const text = `with ${writes.join(', ')} select ${updated.length === 0 ? '0' : updated.join(' + ')} as changed`
  return { text, places, updates: updated.length }
}
