// The named schemas as JSON Schema, each once, as the components of the document.
import { z } from 'zod'
import { components } from '../schemas/components.ts'

/** A part of the document: plain JSON, whose form is that of OpenAPI 3.1; a test holds the whole to it. */
export type Part = Readonly<Record<string, unknown>>

/** Where a named schema stands in the document. */
function schemaRef(id: string): string {
  return `#/components/schemas/${id}`
}

let converted: Readonly<Record<string, Part>> | null = null

/** Every named schema. They do not change, so they are converted once. */
export function componentSchemas(): Readonly<Record<string, Part>> {
  converted ??= convert()
  return converted
}

function convert(): Readonly<Record<string, Part>> {
  const { schemas } = z.toJSONSchema(components, { ...CONVERSION, uri: schemaRef })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]))
}

/** A schema by its name, or as it is where it has none. */
export function schemaOf(schema: z.ZodType): Part {
  const id = components.get(schema)?.id
  return id === undefined ? plain(z.toJSONSchema(schema, CONVERSION)) : { $ref: schemaRef(id) }
}

// What is sent over the wire is what schemas take in, before anything is read into numbers.
const CONVERSION = {
  io: 'input',
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }: Converted): void => {
    const description = components.get(zodSchema)?.description
    if (description !== undefined) jsonSchema.description = description
    // A number in a query is text to the schema and a number to whoever writes a client.
    if (jsonSchema.type === 'integer') delete jsonSchema.pattern
  },
} as const

interface Converted {
  readonly zodSchema: z.core.$ZodType
  readonly jsonSchema: z.core.JSONSchema.BaseSchema
}

function plain(schema: object): Part {
  const { $schema: _dialect, $id: _id, ...rest } = schema as Part
  return rest
}
