// Values in which exactly one thing does not fit the schema.
import { fc } from '@fast-check/vitest'
import { followed, type JsonSchema } from './schema.ts'
import { text } from './texts.ts'
import { anyJson, type Drawing, validValue } from './valid-value.ts'

/** Names that somebody might hope to have taken over from a body. Spec: reliability T25. */
const HOPED_FOR = [
  'tenant',
  'principal',
  'requester',
  'owner',
  'roles',
  'status',
  'revision',
  'approvals',
  'ifRevision',
]

/** A value that the schema forbids, or null where it forbids nothing. */
export function brokenValue(schema: JsonSchema, drawing: Drawing): fc.Arbitrary<unknown> | null {
  const plain = followed(schema, drawing.schemas)
  switch (plain.type ?? 'anything') {
    case 'object':
      return oneOf([otherThan('object'), ...brokenFields(plain, drawing)])
    case 'array': {
      const item = brokenValue(plain.items ?? {}, drawing)
      return oneOf([otherThan('array'), ...(item === null ? [] : [item.map((one) => [one])])])
    }
    case 'integer':
      return otherThan('number')
    case 'boolean':
      return otherThan('boolean')
    case 'string':
      return oneOf([otherThan('string'), ...brokenTexts(plain)])
    case 'anything':
      return null
  }
}

/** A text that the schema of a parameter forbids; numbers and flags are texts there. Null where any text will do. */
export function brokenText(schema: JsonSchema, drawing: Drawing): fc.Arbitrary<string> | null {
  const plain = followed(schema, drawing.schemas)
  if (plain.type === 'array') return brokenText(plain.items ?? {}, drawing)
  if (plain.type === 'integer') {
    return fc.constantFrom('', '0', '-1', '1.5', '1e2', '0x10', 'x', ' 1', '01', String((plain.maximum ?? 1) + 1))
  }
  const texts = brokenTexts(plain)
  return texts.length === 0 ? null : oneOf(texts)
}

function brokenFields({ properties = {}, required = [], additionalProperties }: JsonSchema, drawing: Drawing) {
  const fields = Object.entries(properties).map(([name, field]) => [name, validValue(field, drawing, name)] as const)
  const whole = fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true })
  const lacking = required.map((name) => whole.map((value) => without(value, name)))
  const broken = Object.entries(properties).flatMap(([name, field]) => {
    const value = brokenValue(field, drawing)
    return value === null ? [] : [fc.tuple(whole, value).map(([fitting, wrong]) => ({ ...fitting, [name]: wrong }))]
  })
  if (additionalProperties !== false) return [...lacking, ...broken]
  const strange = fc
    .oneof(fc.constantFrom(...HOPED_FOR), fc.stringMatching(/^[a-zA-Z]{1,12}$/))
    .filter((name) => !Object.hasOwn(properties, name))
  const added = fc.tuple(whole, strange, anyJson).map(([fitting, name, value]) => ({ ...fitting, [name]: value }))
  return [...lacking, ...broken, added]
}

function brokenTexts({ enum: allowed, pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string>[] {
  if (allowed !== undefined) return [text(0, 40).filter((one) => !allowed.includes(one))]
  const form = pattern === undefined ? null : new RegExp(pattern, 'u')
  return [
    ...(form === null ? [] : [text(0, 80).filter((one) => !form.test(one))]),
    ...(minLength > 0 ? [fc.constant('')] : []),
    ...(maxLength === undefined ? [] : [fc.constant('y'.repeat(maxLength + 1))]),
  ]
}

function otherThan(type: 'object' | 'array' | 'number' | 'boolean' | 'string'): fc.Arbitrary<unknown> {
  const others: unknown[] = [null, true, false, 0, 7, '', 'true', '1', [], [[]], {}, { a: 1 }]
  return fc.constantFrom(...others.filter((one) => typeOf(one) !== type))
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}

function without(value: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}

function oneOf<T>(arbitraries: readonly fc.Arbitrary<T>[]): fc.Arbitrary<T> {
  return fc.oneof(...arbitraries)
}
