// Loads Hono and its OpenAPI companion, or says in one sentence what is missing.
import type { Hono as HonoClass } from 'hono'
import type { describeRoute as DescribeRoute, generateSpecs as GenerateSpecs } from 'hono-openapi'

interface Libraries {
  readonly Hono: typeof HonoClass
  readonly describeRoute: typeof DescribeRoute
  readonly generateSpecs: typeof GenerateSpecs
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

export const { Hono, describeRoute, generateSpecs }: Libraries = await load()
