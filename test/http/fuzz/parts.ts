// The parts of a request, and requests of an operation in which every part fits the document.
import { fc } from '@fast-check/vitest'
import type { Operation, Parameter } from './operations.ts'
import { headerText } from './texts.ts'
import { type Drawing, validValue } from './valid-value.ts'

/** The parts of a request, holes and all. */
export interface Parts {
  readonly path: Readonly<Record<string, string>>
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly headers: Readonly<Record<string, string>>
  /** JSON, with or without damage to its text; undefined for no body. */
  readonly body: { readonly json: unknown; readonly damage?: string } | undefined
  readonly mediaType: string | null
}

/** Parts that fit. */
export function fittingParts({ parameters, body }: Operation, drawing: Drawing): fc.Arbitrary<Parts> {
  const named = (place: Parameter['in']): readonly Parameter[] => parameters.filter((one) => one.in === place)
  const places = named('path').map(({ name, schema }) => [name, segment(validValue(schema, drawing, name))] as const)
  const query = named('query').map(({ name, schema }) => {
    return fc.option(validValue(schema, drawing, name), { nil: undefined, freq: 1 }).map((value) => pairs(name, value))
  })
  const headers = named('header').map(({ name, schema }) => [name, headerValue(name, schema, drawing)] as const)
  const value = validValue(body?.schema ?? {}, drawing).map((json) => (body === null ? undefined : { json }))
  return fc.record({
    path: fc.record(Object.fromEntries(places), { noNullPrototype: true }),
    query: fc.tuple(...query).map((lists) => lists.flat()),
    headers: fc.record<Readonly<Record<string, string>>>(Object.fromEntries(headers), {
      requiredKeys: [],
      noNullPrototype: true,
    }),
    body: body?.isRequired === false ? fc.option(value, { nil: undefined }) : value,
    mediaType: fc.constantFrom('application/json', 'application/json; charset=utf-8', 'Application/JSON'),
  })
}

/** With a body in any case. */
export function withBody(parts: Parts): Parts {
  return { ...parts, body: parts.body ?? { json: {} } }
}

// A part of a path that is a dot or two is none to whoever reads URLs.
function segment(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return value.map(String).filter((one) => one !== '' && !/^(?:\.|%2e)+$/i.test(one))
}

function pairs(name: string, value: unknown): (readonly [string, string])[] {
  if (value === undefined) return []
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map((one) => [name, String(one)])
}

function headerValue(name: string, { pattern, minLength, maxLength }: Parameter['schema'], drawing: Drawing) {
  const drawn = pattern === undefined ? headerText(minLength, maxLength) : fc.stringMatching(new RegExp(pattern))
  const meant = drawing.meanings[name]?.map(String)
  return meant === undefined ? drawn : fc.oneof({ weight: 7, arbitrary: meant }, { weight: 1, arbitrary: drawn })
}
