// Actions: what can be proposed here, by whom it would have to be approved, and what the caller may do with it.
import { z } from 'zod'
import { type Act, ACTS } from '../proposal/contract.ts'
import type { Definition } from '../proposal/definition/definition.ts'
import { type PolicySummary, summarizePolicy } from '../proposal/policy/summarize-policy.ts'
import type { CallerSession } from '../proposal/session.ts'
import { callerOf } from './authority.ts'
import type { Core } from './core.ts'
import { callHost } from './host-call.ts'

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** One registered action. The snapshot is private to it and has no schema here. */
export interface ActionView {
  /** `namespace/name@version`. */
  readonly action: string
  readonly lifetimeMs: number
  readonly schemas: { readonly command: JsonSchema; readonly preview: JsonSchema; readonly result: JsonSchema }
  readonly policy: PolicySummary
  /**
   * What the action lets the caller do, as far as it says so before there is a proposal; what it says about one of them
   * may differ.
   */
  readonly permitted: readonly Act[]
}

/** Every registered action, in the order of registration. Spec: http "GET /v1/actions". */
export async function actions(core: Core, session: CallerSession): Promise<readonly ActionView[]> {
  return Promise.all(
    core.registry.all().map(async ({ definition }) => ({
      action: definition.type,
      lifetimeMs: definition.lifetimeMs,
      schemas: schemasOf(definition),
      policy: summarizePolicy(definition.policy),
      permitted: await permitted(core, session, definition),
    })),
  )
}

const known = new WeakMap<Definition, ActionView['schemas']>()

function schemasOf(definition: Definition): ActionView['schemas'] {
  const found = known.get(definition)
  if (found !== undefined) return found
  const { command, preview, result } = definition.schemas
  const made = { command: jsonSchema(command), preview: jsonSchema(preview), result: jsonSchema(result) }
  known.set(definition, made)
  return made
}

function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
}

// Asked without a proposal, an action may well throw, which is no trouble: only an exact yes is told.
async function permitted(core: Core, session: CallerSession, definition: Definition): Promise<readonly Act[]> {
  const caller = callerOf(session)
  const view = { proposal: null, command: null, snapshot: null }
  const answers = await Promise.all(
    ACTS.map((act) => callHost(core.clock, definition.hostTimeoutMs, () => definition.action.can(act, caller, view))),
  )
  return ACTS.filter((_, index) => {
    const call = answers[index]
    // What a host answers is not checked by a compiler: a text or an object would be as good as a yes.
    const answer: unknown = call?.kind === 'returned' ? call.value : false
    return answer === true
  })
}
