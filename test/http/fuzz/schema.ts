// JSON Schemas as the documents of this API have them: the words that they use, and no other.

/** What a value may be. */
export type JsonType = 'object' | 'array' | 'string' | 'integer' | 'boolean'

/** A schema. A word that is not here is an error where it is met, so that none is passed over in silence. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: JsonType
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

const OF_FORM = ['$ref', 'type', 'properties', 'required', 'additionalProperties', 'propertyNames', 'items', 'enum']
const OF_SIZE = ['pattern', 'minLength', 'maxLength', 'minimum', 'maximum']
const WORDS = new Set([...OF_FORM, ...OF_SIZE, 'description', '$schema'])

/** Named schemas. */
export type Schemas = Readonly<Record<string, JsonSchema>>

/** The schema itself, references followed. */
export function followed(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const unknown = Object.keys(schema).filter((word) => !WORDS.has(word))
  if (unknown.length > 0) throw new Error(`nobody knows how to draw ${unknown.join(', ')}`)
  if (schema.$ref === undefined) return schema
  const target = schemas[schema.$ref.split('/').at(-1) ?? '']
  if (target === undefined) throw new Error(`${schema.$ref} is not there`)
  return followed(target, schemas)
}
