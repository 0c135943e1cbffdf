// Cases: requests of one operation, each with what must become of it.
import { fc } from '@fast-check/vitest'
import { CALLERS, POWERFUL } from './callers.ts'
import { flawedParts } from './flaws.ts'
import type { Operation } from './operations.ts'
import { fittingParts, type Parts, withBody } from './parts.ts'
import type { Drawing } from './valid-value.ts'

/** What is wrong with a request, if anything. */
export type CaseKind =
  | 'positive'
  | 'negative'
  | 'no credentials'
  | 'bad credentials'
  | 'missing header'
  | 'unsupported method'

/** A request that was drawn. */
export interface Case {
  readonly kind: CaseKind
  readonly operation: Operation
  readonly method: string
  /** Which of the proposals it is about, counted around. */
  readonly about: number
  readonly caller: string
  readonly parts: Parts
  /** What is wrong with it, in words; empty where the kind says it all. */
  readonly flaw: string
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Requests of an operation: half of them right, half of them wrong in one way. */
export function casesOf(operation: Operation, drawing: Drawing): fc.Arbitrary<Case> {
  const { method, allowed, isClosed, body } = operation
  const whole = fittingParts(operation, drawing)
  const flawed = flawedParts(operation, drawing, whole)
  const untyped = whole.map((parts) => ({ ...withBody(parts), mediaType: null }))
  const others = METHODS.filter((one) => !allowed.includes(one))
  const own = method === 'GET' ? fc.constantFrom('GET', 'GET', 'GET', 'HEAD') : fc.constant<string>(method)
  const draw = (
    kind: CaseKind,
    parts: fc.Arbitrary<Parts>,
    methods = fc.constant<string>(method),
  ): fc.Arbitrary<Case> =>
    assembled(operation, kind, { methods, parts: parts.map((one) => ({ parts: one, flaw: '' })) })
  return fc.oneof(
    { weight: 12, arbitrary: draw('positive', whole, own) },
    { weight: 1, arbitrary: draw('unsupported method', whole, fc.constantFrom(...others)) },
    ...weighed(6, flawed && assembled(operation, 'negative', { methods: fc.constant(method), parts: flawed })),
    ...weighed(1, isClosed ? draw('no credentials', whole) : null),
    ...weighed(1, isClosed ? draw('bad credentials', whole) : null),
    ...weighed(1, body === null ? null : draw('missing header', untyped)),
  )
}

interface Drawn {
  readonly methods: fc.Arbitrary<string>
  readonly parts: fc.Arbitrary<{ readonly parts: Parts; readonly flaw: string }>
}

function assembled(operation: Operation, kind: CaseKind, { methods, parts }: Drawn): fc.Arbitrary<Case> {
  const caller = fc.oneof(fc.constantFrom(...POWERFUL), fc.constantFrom(...CALLERS))
  return fc
    .tuple(methods, fc.nat({ max: 1_000 }), caller, parts)
    .map(([method, about, by, drawn]) => ({ kind, operation, method, about, caller: by, ...drawn }))
}

function weighed<T>(
  weight: number,
  arbitrary: fc.Arbitrary<T> | null,
): { weight: number; arbitrary: fc.Arbitrary<T> }[] {
  return arbitrary === null ? [] : [{ weight, arbitrary }]
}
