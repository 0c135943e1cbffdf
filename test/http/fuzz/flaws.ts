// Requests in which exactly one thing is wrong, with the words for it.
import { fc } from '@fast-check/vitest'
import { damage } from './broken-text.ts'
import { brokenText, brokenValue } from './broken-value.ts'
import type { Operation, Parameter } from './operations.ts'
import { type Parts, withBody } from './parts.ts'
import type { JsonSchema } from './schema.ts'
import type { Drawing } from './valid-value.ts'

/** Parts, and what is wrong with them. */
export interface FlawedParts {
  readonly parts: Parts
  readonly flaw: string
}

const UNKNOWN_PARAMETERS = ['tenant', 'principal', '__proto__', 'constructor', 'ifRevision', 'x']
const BAD_TAGS = ['*', 'W/"1"', '"1", "2"', '1', '""x', '"1', '" 1"', '']
const BAD_KEYS = ['"unclosed', 'two words', 'a,b', '""', '', 'k'.repeat(256), 'é']
const BAD_TYPES = [
  'text/plain',
  'application/json; charset=latin1',
  'application/problem+json',
  'application/jsonp',
  '',
]

/** Null for an operation that takes whatever it is sent. */
export function flawedParts(
  operation: Operation,
  drawing: Drawing,
  whole: fc.Arbitrary<Parts>,
): fc.Arbitrary<FlawedParts> | null {
  if (!operation.isClosed) return null
  const { parameters, body } = operation
  const change: Change = (flaw, values, apply) => {
    return fc.tuple(whole, values).map(([parts, value]) => ({ parts: apply(parts, value), flaw }))
  }
  const takesTag = parameters.some(({ name }) => name === 'If-Match')
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key')
  return fc.oneof(
    change('unknown parameter', fc.constantFrom(...UNKNOWN_PARAMETERS), (parts, name) => withQuery(parts, name, '1')),
    change('If-Match', fc.constantFrom(...BAD_TAGS, ...(takesTag ? [] : ['"7"'])), (parts, tag) => {
      return withHeader(parts, 'If-Match', tag)
    }),
    ...(takesKey
      ? [
          change('Idempotency-Key', fc.constantFrom(...BAD_KEYS), (parts, key) =>
            withHeader(parts, 'Idempotency-Key', key),
          ),
        ]
      : []),
    ...parameters.filter(({ in: place }) => place === 'query').flatMap((one) => brokenQuery(one, drawing, change)),
    ...(body === null ? [] : brokenBody(body.schema, drawing, change)),
  )
}

type Change = <T>(
  flaw: string,
  values: fc.Arbitrary<T>,
  apply: (parts: Parts, value: T) => Parts,
) => fc.Arbitrary<FlawedParts>

function brokenQuery({ name, schema }: Parameter, drawing: Drawing, change: Change): fc.Arbitrary<FlawedParts>[] {
  const broken = brokenText(schema, drawing)
  const instead = (parts: Parts, value: string): Parts => withQuery(without(parts, name), name, value)
  const twice = (parts: Parts): Parts => withQuery(withQuery(without(parts, name), name, '1'), name, '1')
  return [
    ...(broken === null ? [] : [change(`parameter ${name}`, broken, instead)]),
    ...(schema.type === 'array' ? [] : [change(`parameter ${name} twice`, fc.constant(null), twice)]),
  ]
}

function brokenBody(schema: JsonSchema, drawing: Drawing, change: Change): fc.Arbitrary<FlawedParts>[] {
  const value = brokenValue(schema, drawing)
  return [
    ...(value === null ? [] : [change('body', value, (parts, json) => ({ ...parts, body: { json } }))]),
    change('text of the body', damage, (parts, name) => ({ ...parts, body: { json: jsonOf(parts), damage: name } })),
    change('media type', fc.constantFrom(...BAD_TYPES), (parts, mediaType) => ({ ...withBody(parts), mediaType })),
    change('content coding', fc.constantFrom('gzip', 'identity'), (parts, coding) => {
      return withHeader(withBody(parts), 'Content-Encoding', coding)
    }),
  ]
}

function jsonOf({ body }: Parts): unknown {
  return body?.json ?? {}
}

function withQuery(parts: Parts, name: string, value: string): Parts {
  return { ...parts, query: [...parts.query, [name, value]] }
}

function without(parts: Parts, name: string): Parts {
  return { ...parts, query: parts.query.filter(([one]) => one !== name) }
}

function withHeader(parts: Parts, name: string, value: string): Parts {
  return { ...parts, headers: { ...parts.headers, [name]: value } }
}
