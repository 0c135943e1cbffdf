// Values that fit a schema.
import { fc } from '@fast-check/vitest'
import { followed, type JsonSchema, type Schemas } from './schema.ts'
import { text } from './texts.ts'

/** What stands in a field of that name more often than a value that was drawn from its schema alone. */
export type Meanings = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** What drawing needs beside a schema. */
export interface Drawing {
  readonly schemas: Schemas
  readonly meanings: Meanings
}

/** A value that the schema allows. `name` is that of the field or parameter. */
export function validValue(schema: JsonSchema, drawing: Drawing, name = ''): fc.Arbitrary<unknown> {
  const plain = followed(schema, drawing.schemas)
  const drawn = fromSchema(plain, drawing)
  const meant = Object.hasOwn(drawing.meanings, name) ? drawing.meanings[name] : undefined
  // What has fields of its own is drawn field by field.
  if (meant === undefined || plain.properties !== undefined) return drawn
  return fc.oneof({ weight: 15, arbitrary: meant }, { weight: 1, arbitrary: drawn })
}

/** Any plain JSON of the house's domain, small. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    text(0, 30),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

function fromSchema(schema: JsonSchema, drawing: Drawing): fc.Arbitrary<unknown> {
  switch (schema.type ?? 'anything') {
    case 'object':
      return objectOf(schema, drawing)
    case 'array':
      return fc.array(validValue(schema.items ?? {}, drawing), { maxLength: 3 })
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? Number.MAX_SAFE_INTEGER })
    case 'boolean':
      return fc.boolean()
    case 'string':
      return textOf(schema)
    case 'anything':
      return anyJson
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema, drawing: Drawing) {
  const fields = Object.entries(properties).map(([name, field]) => [name, validValue(field, drawing, name)] as const)
  const drawn = fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true })
  if (additionalProperties === false || fields.length > 0) return drawn
  return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), anyJson, { maxKeys: 4, noNullPrototype: true })
}

function textOf({ enum: allowed, pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (allowed !== undefined) return fc.constantFrom(...allowed)
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength: maxLength ?? 60 })
  return text(minLength, maxLength)
}
