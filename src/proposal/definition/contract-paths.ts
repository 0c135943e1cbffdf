// The paths of a contract into its snapshot: the facts that are verified, and what is immaterial.
import { jsonPointer, parseJsonPointer } from '../../effect/json-pointer.ts'
import { isUnchecked, readFields, readList, readListOf, type Report } from './contract-reader.ts'
import type { Materiality } from '../content/drift.ts'
import { placeAt } from './schema-pointer.ts'
import type { SchemaShape } from './schema-shape.ts'

/**
 * The facts: at least one, and each in every snapshot, since a fact that is missing can never be confirmed (rules R11).
 * `snapshot` is null where its schema is refused; then no path is looked up in it.
 */
export function readFacts(report: Report, value: unknown, snapshot: SchemaShape | null): readonly string[] {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) report('/facts', 'list_empty')
  return readListOf(report, value, '/facts', (fact, at) => {
    if (!isFieldPointer(fact)) {
      report(at, 'path_invalid')
      return null
    }
    const place = snapshot && placeAt(snapshot, fact)
    if (place?.kind === 'missing') report(at, 'path_missing')
    else if (place?.always === false) report(at, 'path_not_always')
    return fact
  })
}

/** What is immaterial, and which lists are compared without order. Something must stay material. */
export function readMateriality(report: Report, value: unknown, snapshot: SchemaShape | null): Materiality {
  const immaterial: string[] = []
  const sets: string[] = []
  for (const [index, entry] of readList(report, value, '/immaterial').entries()) {
    const at = `/immaterial/${index}`
    const asSet = isUnchecked(entry) ? readFields(report, entry, at, ['path', 'as']) : null
    const path = asSet === null ? entry : asSet['path']
    if (!isFieldPointer(path) || (asSet !== null && asSet['as'] !== 'set')) {
      report(at, 'immaterial_invalid')
      continue
    }
    const place = snapshot && placeAt(snapshot, path)
    if (place?.kind === 'missing') report(at, 'path_missing')
    else if (asSet !== null && place !== null && place.kind !== 'list') report(at, 'set_not_a_list')
    if (immaterial.includes(path) || sets.includes(path)) report(at, 'duplicate')
    const paths = asSet === null ? immaterial : sets
    paths.push(path)
  }
  if (snapshot?.kind === 'object' && isAllOf(snapshot.fields, immaterial)) report('/immaterial', 'nothing_material')
  return { immaterial, sets }
}

function isFieldPointer(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && parseJsonPointer(value) !== null
}

function isAllOf(fields: object, paths: readonly string[]): boolean {
  return Object.keys(fields).every((name) => paths.includes(jsonPointer([name])))
}
