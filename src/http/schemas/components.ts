// The named schemas: what they are called in the OpenAPI document, where each stands once and is referred to by name.
import { z } from 'zod'

/** Every named schema. Names are those of the TypeScript types. */
export const components = z.registry<{ readonly id: string; readonly description?: string }>()

/** Names a schema, and says in one sentence what it is. */
export function component<S extends z.ZodType>(id: string, description: string, schema: S): S {
  components.add(schema, { id, description })
  return schema
}
