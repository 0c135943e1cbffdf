// The registered actions, and which definition may do what for a stored proposal.
import { type z } from 'zod'
import type { AnyAction } from '../proposal/action.ts'
import { define, type Definition, parseActionType } from '../proposal/definition/definition.ts'
import { DefinitionError } from '../proposal/errors.ts'
import { executedSchema } from '../proposal/answers/executor-word.ts'
import { resolvedSchema } from '../proposal/answers/resolution.ts'
import { preparedSchema } from '../proposal/answers/preparation.ts'
import { verifiedSchema } from '../proposal/answers/judge-verification.ts'

/** A definition with the shapes of what its methods answer, made once. */
export interface Registered {
  readonly definition: Definition
  readonly prepared: z.ZodType
  readonly resolved: z.ZodType
  readonly executed: z.ZodType
  readonly verified: z.ZodType
}

/** Finds definitions by the type of an action. Types are unique; versions of one name live side by side. */
export class Registry {
  readonly #byType = new Map<string, Registered>()

  /** @throws DefinitionError for an action that cannot be safe, or a type that is registered twice. */
  constructor(actions: readonly AnyAction[]) {
    for (const action of actions) {
      const definition = define(action)
      if (this.#byType.has(definition.type)) {
        const message = 'is registered twice'
        throw new DefinitionError(definition.type, [{ path: '/type', rule: 'duplicate_type', message }])
      }
      this.#byType.set(definition.type, registered(definition))
    }
  }

  all(): readonly Registered[] {
    return [...this.#byType.values()]
  }

  /** The definition of exactly this type; only it prepares and executes. */
  exact(type: string): Registered | null {
    return this.#byType.get(type) ?? null
  }

  /** A definition that may verify this type: its own, or a later one that lists the version (rules R9). */
  verifying(type: string): Registered | null {
    const own = this.#byType.get(type)
    if (own !== undefined) return own
    return this.#sameName(type).find(({ definition }) => definition.verifies.includes(versionOf(type))) ?? null
  }

  /** A definition whose permissions speak for this type: any version of the same name, rather than nobody. */
  permitting(type: string): Registered | null {
    return this.verifying(type) ?? this.#sameName(type)[0] ?? null
  }

  #sameName(type: string): readonly Registered[] {
    const name = parseActionType(type)?.name
    return this.all()
      .filter(({ definition }) => definition.name === name)
      .sort((a, b) => b.definition.version - a.definition.version)
  }
}

function versionOf(type: string): number {
  return parseActionType(type)?.version ?? 0
}

function registered(definition: Definition): Registered {
  const { snapshot, result } = definition.schemas
  return {
    definition,
    prepared: preparedSchema(snapshot),
    resolved: resolvedSchema(snapshot),
    executed: executedSchema(result),
    verified: verifiedSchema(definition.facts, result),
  }
}
