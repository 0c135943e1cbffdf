// The digest of a definition: approvals given under one digest do not hold under another.
import { canonicalJson } from '../../effect/canonical-json.ts'
import type { Definition } from './definition.ts'
import { digestHex } from '../content/digest.ts'
import type { SchemaShape } from './schema-shape.ts'

/** What the digest is taken over, as far as it is in the definition itself. */
export type DigestedDefinition = Pick<
  Definition,
  'type' | 'revision' | 'domain' | 'facts' | 'materiality' | 'acceptProof' | 'target'
>

/** What decides about a proposal beside the definition's own data. */
export interface DigestedSources {
  /** The policy's canonical text, or the source text of the function that chooses it. */
  readonly policy: string
  /** The shapes of the schemas for command, snapshot, preview and result. */
  readonly shapes: readonly SchemaShape[]
}

/**
 * SHA-256 in hex. The order in which the contract lists paths and proofs is no part of it, nor are the limits of time.
 * What code does is not seen either, apart from the text of a policy function: for that a definition has `revision`. Of
 * the schemas the shape is taken, in a text of our own: JSON Schema would change with the version of zod. Spec: rules R9.
 */
export function definitionDigest(definition: DigestedDefinition, { policy, shapes }: DigestedSources): string {
  const { type, revision, domain, facts, materiality, acceptProof, target } = definition
  const data = {
    type,
    revision,
    domain,
    facts: facts.toSorted(),
    immaterial: materiality.immaterial.toSorted(),
    sets: materiality.sets.toSorted(),
    failure: acceptProof.failure.toSorted(),
    resend: acceptProof.resend.toSorted(),
    target: { ...target },
  }
  const text = canonicalJson(data, { numbers: 'integers' })
  return digestHex(['countersign/definition/v1', text, policy, ...shapes.map(shapeText)])
}

function shapeText(shape: SchemaShape): string {
  switch (shape.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'refused':
      return shape.kind
    case 'values':
      return `values(${inOrder(shape.values.map((value) => JSON.stringify(value)))})`
    case 'list':
      return `list(${shapeText(shape.element)})`
    case 'union':
      return `union(${inOrder(shape.options.map(shapeText))})`
    case 'object':
      return `${shape.money ? 'money' : 'object'}(${inOrder(Object.entries(shape.fields).map(fieldText))})`
  }
}

function fieldText([name, field]: readonly [
  string,
  { readonly optional: boolean; readonly shape: SchemaShape },
]): string {
  return `${JSON.stringify(name)}${field.optional ? '?' : ''}:${shapeText(field.shape)}`
}

function inOrder(texts: readonly string[]): string {
  return texts.toSorted().join(',')
}
