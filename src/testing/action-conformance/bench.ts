// The bench: calls the methods of an action as the runtime does, and reads their answers by the same schemas.
import type { z } from 'zod'
import { type JsonValue, canonicalJson, isPlainObject, parseCanonicalJson } from '../../effect/canonical-json.ts'
import { type EffectKey, idempotencyKey, type IdempotencyKey, stepKey } from '../../effect/effect-key.ts'
import { parseReference, type Reference } from '../../effect/reference.ts'
import type { AnyAction, Executed, Prepared, Verified } from '../../proposal/action.ts'
import type { HostCall } from '../../proposal/answers/executor-word.ts'
import { withoutUndefined } from '../../proposal/answers/host-answer.ts'
import { judgeResolution, type Resolution } from '../../proposal/answers/resolution.ts'
import { parseAnswer, parseContent } from '../../proposal/content/boundary.ts'
import { deriveEffectReference } from '../../proposal/content/effect-reference.ts'
import type { Contract } from '../../proposal/contract.ts'
import type { ActionContext } from '../../proposal/action.ts'
import { callHost } from '../../runtime/host-call.ts'
import type { Clock, Ids } from '../../runtime/ports.ts'
import { Registry, type Registered } from '../../runtime/registry.ts'
import { ClauseFailure } from '../clause.ts'
import { seededIds } from '../seeded-ids.ts'
import type { ActionWorld, AnyCommand } from './action-world.ts'

type Input<M extends 'prepare' | 'preview' | 'resolve' | 'execute' | 'verify'> = Parameters<AnyAction[M]>[0]

/** A prepared effect, with all that its execution and verification need. */
export interface Ready {
  readonly command: AnyCommand
  readonly snapshot: JsonValue
  readonly effect: EffectKey
  readonly context: ActionContext
  readonly key: IdempotencyKey
}

/** How the executor ended: its answer in a valid shape, or what it threw. */
export type ExecutorEnd =
  | { readonly kind: 'answered'; readonly answer: Executed<Contract> }
  | { readonly kind: 'threw'; readonly error: unknown }

/** How the verifier ended; a throw and an answer that says so are both no answer. */
export type VerifierEnd =
  | { readonly kind: 'answered'; readonly answer: Exclude<Verified<Contract>, { status: 'target_unavailable' }> }
  | { readonly kind: 'unavailable' }

/** Calls an action with frozen copies, under its own limits, and keeps every error that it threw. */
export class Bench {
  readonly world: ActionWorld
  readonly seed: number
  readonly errors: unknown[] = []
  readonly #registered: Registered
  readonly #ids: Ids
  readonly #clock: Clock
  readonly #referenceKey = new Uint8Array(32).fill(7)
  #generation = 0

  /** @throws DefinitionError if the action cannot be registered. */
  constructor(
    action: AnyAction,
    world: ActionWorld,
    { seed, clock }: { readonly seed: number; readonly clock: Clock },
  ) {
    const [registered] = new Registry([action]).all()
    if (registered === undefined) throw new TypeError('one action is one definition')
    this.#registered = registered
    this.world = world
    this.seed = seed
    this.#clock = clock
    this.#ids = seededIds(seed)
  }

  get definition(): Registered['definition'] {
    return this.#registered.definition
  }

  /** A number in [0, 1), the same for the same seed. */
  fraction(): number {
    return this.#ids.fraction()
  }

  /** A fresh command, prepared. */
  async fresh(): Promise<Ready> {
    return this.prepare(await this.world.command())
  }

  async prepare(command: unknown): Promise<Ready> {
    const context = this.#context()
    const given = copied(command) as AnyCommand
    const { snapshot, effectReference } = await this.prepared(given, context)
    const effect = {
      tenant: context.tenant,
      domain: this.definition.domain,
      reference: parseReference(effectReference, '/effectReference'),
    }
    this.#generation += 1
    const key = idempotencyKey(effect, this.#generation)
    return { command: given, snapshot: snapshot as JsonValue, effect, context, key }
  }

  /** What prepare answers for a command, in a valid shape. */
  async prepared(command: AnyCommand, context: ActionContext = this.#context()): Promise<Prepared<Contract>> {
    const derive = (...parts: readonly string[]): string =>
      deriveEffectReference(this.#referenceKey, context.tenant, parts)
    const call = await this.#ask('prepare', (signal) => {
      const input = { command: copied(command), context, effect: { derive }, signal }
      return this.definition.action.prepare(input as Input<'prepare'>)
    })
    if (call.kind === 'threw') throw new ClauseFailure('prepare_threw', 'prepare threw for a command that can be done.')
    const parts = { snapshot: 'snapshotBytes' } as const
    return this.#read('prepare', this.#registered.prepared, call.value, parts) as Prepared<Contract>
  }

  /** What preview answers for a snapshot. */
  preview(snapshot: JsonValue): JsonValue {
    let shown: unknown
    try {
      shown = this.definition.action.preview(copied(snapshot) as Input<'preview'>)
    } catch (error) {
      this.errors.push(error)
      throw new ClauseFailure('preview_threw', 'preview threw for a snapshot of its own prepare.')
    }
    const parsed = parseContent(this.definition.schemas.preview, shown, 'previewBytes')
    if (!parsed.ok) throw malformed('preview', parsed.problems)
    return parsed.value as JsonValue
  }

  /** How the business stands against a snapshot, judged as the runtime judges it. */
  async resolve({ snapshot, context }: Ready): Promise<Resolution> {
    const call = await this.#ask('resolve', (signal) => {
      return this.definition.action.resolve({ snapshot: copied(snapshot), context, signal } as Input<'resolve'>)
    })
    if (call.kind === 'threw')
      throw new ClauseFailure('resolve_threw', 'resolve threw although the target is in health.')
    const resolution = judgeResolution(call, this.#registered.resolved, snapshot, this.definition.materiality)
    if (resolution === null) throw new ClauseFailure('resolve_malformed', 'resolve answers nothing that can be read.')
    return resolution
  }

  /** Calls the executor on what was resolved. */
  async execute(ready: Ready, resolution: Resolution, attempt = 1): Promise<ExecutorEnd> {
    const call = await this.#ask('execute', (signal) => {
      const input = {
        snapshot: copied(ready.snapshot),
        current: copied(resolution.current),
        precondition: resolution.precondition,
        semanticEffectReference: ready.effect.reference,
        idempotencyKey: ready.key,
        stepKey: (step: number) => stepKey(ready.key, step),
        attempt,
        epoch: attempt,
        context: ready.context,
        signal,
        markSending: () => {},
      }
      return this.definition.action.execute(input as Input<'execute'>)
    })
    if (call.kind === 'threw') return call
    const parts = { result: 'resultBytes' } as const
    const answer = this.#read('execute', this.#registered.executed, call.value, parts) as Executed<Contract>
    return { kind: 'answered', answer }
  }

  /** Asks the verifier for these keys. */
  async verify(ready: Ready, keys: readonly IdempotencyKey[] = [ready.key]): Promise<VerifierEnd> {
    const call = await this.#ask('verify', (signal) => {
      const input = {
        idempotencyKeys: keys,
        semanticEffectReference: ready.effect.reference,
        snapshot: copied(ready.snapshot),
        attempts: keys.length,
        covers: { from: 1, to: keys.length },
        epoch: keys.length,
        context: ready.context,
        signal,
      }
      return this.definition.action.verify(input as Input<'verify'>)
    })
    if (call.kind === 'threw') return { kind: 'unavailable' }
    this.#demandDeclaredFacts(call.value)
    const parts = { facts: 'factsBytes', result: 'resultBytes' } as const
    const answer = this.#read('verify', this.#registered.verified, call.value, parts) as Verified<Contract>
    return answer.status === 'target_unavailable' ? { kind: 'unavailable' } : { kind: 'answered', answer }
  }

  /** Another key of the same effect, under which nothing was ever sent. */
  unsentKey({ effect }: Ready): IdempotencyKey {
    this.#generation += 1
    return idempotencyKey(effect, this.#generation)
  }

  async effects({ command }: Ready): Promise<number> {
    return this.world.effects(command)
  }

  #context(): ActionContext {
    const tenant = parseReference('tenant-under-test', '')
    const person = { kind: 'user', id: 'requester-under-test' as Reference } as const
    return { tenant, proposal: this.#ids.reference(), requester: person, agent: null }
  }

  async #ask(
    method: 'prepare' | 'resolve' | 'execute' | 'verify',
    ask: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<Exclude<HostCall, { kind: 'timed_out' }>> {
    const { hostTimeoutMs, executeTimeoutMs, verifyTimeoutMs } = this.definition
    const limits = {
      prepare: hostTimeoutMs,
      resolve: hostTimeoutMs,
      execute: executeTimeoutMs,
      verify: verifyTimeoutMs,
    }
    const call = await callHost(this.#clock, limits[method], ask)
    if (call.kind === 'timed_out')
      throw new ClauseFailure(`${method}_hung`, `${method} did not come back within its limit.`)
    if (call.kind === 'threw') this.errors.push(call.error)
    return call
  }

  /** What the target sets by itself and nobody approved cannot be a fact. */
  #demandDeclaredFacts(answer: unknown): void {
    const facts: unknown = isPlainObject(answer) ? answer['facts'] : null
    if (!isPlainObject(facts)) return
    const undeclared = Object.keys(facts).filter((path) => !this.definition.facts.includes(path))
    if (undeclared.length === 0) return
    throw new ClauseFailure(
      'fact_not_approved',
      `The verifier returns ${undeclared.length} facts that nobody approved.`,
    )
  }

  #read(method: string, schema: z.ZodType, value: unknown, parts: Parameters<typeof parseAnswer>[3]): unknown {
    const parsed = parseAnswer(schema, withoutUndefined(value), 'snapshotBytes', parts)
    if (!parsed.ok) throw malformed(method, parsed.problems)
    return parsed.value
  }
}

function malformed(
  method: string,
  problems: readonly { readonly path: string; readonly message: string }[],
): ClauseFailure {
  const told = problems.slice(0, 3).map(({ path, message }) => `${path === '' ? 'the answer' : path} ${message}`)
  return new ClauseFailure(`${method}_malformed`, `What ${method} answers is not of its shape: ${told.join('; ')}.`)
}

/** A deeply frozen copy, as the runtime hands it over. */
function copied(value: unknown): JsonValue {
  return parseCanonicalJson(canonicalJson(value, { numbers: 'integers' }))
}
