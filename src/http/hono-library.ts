// Loads Hono and its OpenAPI companion, or says in one sentence what is missing.
import type * as hono from 'hono'
import type * as honoOpenApi from 'hono-openapi'

interface Libraries {
  readonly Hono: typeof hono.Hono
  readonly describeRoute: typeof honoOpenApi.describeRoute
  readonly generateSpecs: typeof honoOpenApi.generateSpecs
}

// Both are optional peers: an import would end in the words of the module loader, before anything could be said.
async function load(): Promise<Libraries> {
  try {
    const [{ Hono }, { describeRoute, generateSpecs }] = await Promise.all([import('hono'), import('hono-openapi')])
    return { Hono, describeRoute, generateSpecs }
  } catch (cause) {
    throw new TypeError('countersign/http needs the packages hono and hono-openapi: npm install hono hono-openapi.', {
      cause,
    })
  }
}

const libraries = await load()

export const { Hono }: Pick<Libraries, 'Hono'> = libraries

/** Marks a route with its description. */
export function described(operation: Readonly<Record<string, unknown>>): hono.MiddlewareHandler {
  return libraries.describeRoute(operation)
}

/** Collects the descriptions of an app's routes. */
export async function collected(
  app: hono.Hono,
  documentation: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  return libraries.generateSpecs(app, {
    excludeStaticFile: false,
    defaultValidationErrorResponse: false,
    documentation,
  })
}
