// The operations of a document, as the fuzzer asks for them.
import { fc } from '@fast-check/vitest'
import type { JsonSchema, Schemas } from './schema.ts'

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: JsonSchema
}

/** One operation of the document. */
export interface Operation {
  readonly operationId: string
  readonly method: 'GET' | 'POST'
  /** With its places in braces. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly schema: JsonSchema; readonly isRequired: boolean } | null
  /** Whether it asks who is calling. */
  readonly isClosed: boolean
  /** Every method that its path takes. */
  readonly allowed: readonly string[]
  /** Its name alone is enough for whoever reads a counterexample. */
  readonly [fc.toStringMethod]: () => string
}

/** The parts of a document that are read here. */
export interface FuzzedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Schemas }
}

interface DocumentedOperation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
  readonly security?: readonly unknown[]
}

/** Every operation of the document. */
export function operationsOf({ paths }: FuzzedDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) => {
    const allowed = Object.keys(methods).flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : ['POST']))
    return Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, security }]) => {
      const schema = requestBody?.content['application/json']?.schema
      return {
        operationId,
        method: method === 'get' ? ('GET' as const) : ('POST' as const),
        path,
        parameters,
        body: schema === undefined ? null : { schema, isRequired: requestBody?.required === true },
        isClosed: security === undefined || security.length > 0,
        allowed,
        [fc.toStringMethod]: () => operationId,
      }
    })
  })
}
