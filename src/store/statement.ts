// Statements that Kysely compiles once, and that are bound to their values each time they run.
import { type Compilable, sql } from 'kysely'

/** A statement with its values, ready to run. `Row` is what the query builder says it returns; rows are parsed all the same. */
export interface Bound<Row> {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Whether it is of a form of its own, so that nothing is gained by keeping it prepared. */
  readonly isOnce?: true
  /** Only a type: no value ever stands here. */
  readonly row?: Row
}

/** A statement; called with its values, it can be run. */
export type Statement<Values, Row> = (values: Values) => Bound<Row>

class Place {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * A statement that is compiled when it is first used. `build` is called once, with the values' places in their stead, so
 * it must use them as values and never look at them.
 *
 * ```ts
 * const landed = statement((change: { tenant: string; id: string }) =>
 *   db.selectFrom('changes').select('at').where('tenant', '=', change.tenant).where('change_id', '=', change.id))
 * const rows = yield* rowsOf(landed({ tenant, id }))
 * ```
 */
export function statement<Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
): Statement<Values, Row> {
  let compiled: ((values: Values) => Bound<Row>) | null = null
  return (values) => {
    compiled ??= compile(build, Object.keys(values))
    return compiled(values)
  }
}

/** A query of a form of its own, compiled for this one use. */
export function bound<Row>(query: Compilable<Row>): Bound<Row> {
  const { sql: text, parameters } = query.compile()
  return { sql: text, parameters, isOnce: true }
}

function compile<Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
  names: readonly string[],
): Statement<Values, Row> {
  // Kysely takes an expression wherever it takes a value; the compiled parameters then hold the places.
  const places = Object.fromEntries(names.map((name) => [name, sql`${new Place(name)}`]))
  const { sql: text, parameters } = build(places as Values).compile()
  return (values) => ({
    sql: text,
    parameters: parameters.map((parameter) => {
      return parameter instanceof Place ? values[parameter.name as keyof Values] : parameter
    }),
  })
}
