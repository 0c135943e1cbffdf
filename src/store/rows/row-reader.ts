// Reads one stored row: every value is checked for its form, and what is wrong is told by its address.
import { canonicalJson, parseCanonicalJson } from '../../effect/canonical-json.ts'
import { parseReasonCode, parseReference, type ReasonCode, type Reference } from '../../effect/reference.ts'
import { StoredDataCorrupt } from '../../proposal/errors.ts'
import type { Principal } from '../../proposal/principal.ts'
import type { Bytes } from '../tables.ts'

const PRINCIPAL = /^(user|service|agent):(.+)$/su

/**
 * A row as the database gave it, untrusted. Each method reads one column or throws `StoredDataCorrupt` with the row's
 * address; the cause names the column and never the value. Spec: store 2, guarantee 11.
 */
export class RowReader<Row extends object> {
  readonly #row: Row
  /** `table/tenant/…`, the parts of the row's key. */
  readonly #address: string

  constructor(row: Row, table: string, key: readonly (string | number)[]) {
    this.#row = row
    this.#address = [table, ...key].join('/')
  }

  text(column: keyof Row & string): string {
    const value = this.#row[column]
    return typeof value === 'string' ? value : this.corrupt(column, 'is no text')
  }

  integer(column: keyof Row & string): number {
    const value = this.#row[column]
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : this.corrupt(column, 'is no safe integer')
  }

  bytes(column: keyof Row & string): Bytes {
    const value = this.#row[column]
    return value instanceof Uint8Array ? new Uint8Array(value) : this.corrupt(column, 'is no bytes')
  }

  reference(column: keyof Row & string): Reference {
    return this.#parsed(column, () => parseReference(this.#row[column], ''))
  }

  reasonCode(column: keyof Row & string): ReasonCode {
    return this.#parsed(column, () => parseReasonCode(this.#row[column], ''))
  }

  /** One of a closed set of codes. */
  oneOf<Code extends string>(column: keyof Row & string, codes: readonly Code[]): Code {
    const value = this.#row[column]
    return codes.find((code) => code === value) ?? this.corrupt(column, 'is none of its codes')
  }

  /** `kind:id`. */
  principal(column: keyof Row & string): Principal {
    const [, kind, id] = PRINCIPAL.exec(this.text(column)) ?? []
    if (kind !== 'user' && kind !== 'service' && kind !== 'agent') return this.corrupt(column, 'is no principal')
    return { kind, id: this.#parsed(column, () => parseReference(id, '')) }
  }

  /**
   * Canonical JSON that `parse` accepts; whatever `parse` throws means that the row is corrupt. So does text that says the
   * same in another way: a key that comes twice, or a number that is not spelled as it is read (threats T22 and T23).
   */
  json<Value>(column: keyof Row & string, parse: (value: unknown) => Value): Value {
    const text = this.text(column)
    return this.#parsed(column, () => {
      const value = parseCanonicalJson(text)
      // Guarded calls may hold fractions; what else a column allows is for `parse` to say.
      if (canonicalJson(value, { numbers: 'finite', bytesMax: Number.MAX_SAFE_INTEGER }) !== text)
        throw new TypeError('not canonical')
      return parse(value)
    })
  }

  /** Canonical JSON of an array of texts. */
  texts(column: keyof Row & string): readonly string[] {
    return this.json(column, (value) => {
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw new TypeError('no texts')
      return value
    })
  }

  /** Canonical JSON of an array of codes of a closed set. */
  codes<Code extends string>(column: keyof Row & string, codes: readonly Code[]): readonly Code[] {
    return this.texts(column).map(
      (text) => codes.find((code) => code === text) ?? this.corrupt(column, 'has no such code'),
    )
  }

  /** Null where the column is null, else what `read` makes of it. */
  maybe<Column extends keyof Row & string, Value>(column: Column, read: (column: Column) => Value): Value | null {
    return this.#row[column] === null ? null : read(column)
  }

  corrupt(column: string, problem: string, cause?: unknown): never {
    throw new StoredDataCorrupt(this.#address, { cause: new Error(`column ${column} ${problem}`, { cause }) })
  }

  #parsed<Value>(column: string, parse: () => Value): Value {
    try {
      return parse()
    } catch (error) {
      if (error instanceof StoredDataCorrupt) throw error
      return this.corrupt(column, 'is malformed', error)
    }
  }
}
