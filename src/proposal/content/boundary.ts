// The boundary: how content of a host or caller becomes a checked, frozen copy, or a list of problems without a value in it.
import assert from 'node:assert/strict'
import type { z } from 'zod'
import { CanonicalJsonError, type JsonValue, parseCanonicalJson } from '../../effect/canonical-json.ts'
import { jsonPointer, parseJsonPointer } from '../../effect/json-pointer.ts'
import type { LimitName } from '../../effect/limits.ts'
import { type BytesLimit, canonicalText } from './canonical-text.ts'
import type { Problem } from '../errors.ts'
import { takenApart } from '../answers/host-answer.ts'
import { knownPath } from '../definition/schema-pointer.ts'
import { readSchema } from '../definition/schema-shape.ts'

/** Content that fits, as its canonical text and as a deeply frozen copy; or what is wrong, and the limit if one was exceeded. */
export type Content<T> =
  | { readonly ok: true; readonly text: string; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly limit: LimitName | null }

const PROBLEMS_MAX = 100

// Sentences of our own for zod's codes: a message of zod or of a schema's author may quote the value or the key.
const sentences: Readonly<Record<z.core.$ZodIssue['code'], string>> = {
  invalid_type: 'is of another type',
  too_big: 'is too big',
  too_small: 'is too small',
  invalid_format: 'is not of the form asked for',
  not_multiple_of: 'is not a multiple of the step asked for',
  unrecognized_keys: 'has a key that the schema does not know',
  invalid_union: 'is none of the alternatives',
  invalid_key: 'has a key of another form',
  invalid_element: 'has an element of another form',
  invalid_value: 'is none of the values allowed',
  custom: 'does not meet a rule of the schema',
}

/** The rules that speak of the value at their path, and so of its absence. */
const OF_A_VALUE: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union'])

/**
 * Reads content through its schema. The value is copied once, as canonical JSON; the schema, storage and the host see
 * only that copy, and it is the copy that is returned, so that nothing which a schema does can rewrite it. Problems name
 * a path and a rule, never a value and never a key that the schema does not know. Spec: policy-and-protection 3, lifecycle 4.
 */
export function parseContent<S extends z.ZodType>(schema: S, value: unknown, limit: BytesLimit): Content<z.output<S>> {
  const text = canonicalText(value, limit)
  if (text instanceof CanonicalJsonError) return notPlain(schema, text)
  const copy = parseCanonicalJson(text)
  return judge(schema, copy, text, (written) => canonicalText(written, limit))
}

/**
 * Reads an answer of the host likewise. Its parts that have limits of their own, such as the result in what an executor
 * returns, are measured each by itself, so that one that is just within its limit is not refused for what stands around
 * it; `limit` holds for the rest.
 */
export function parseAnswer<S extends z.ZodType>(
  schema: S,
  answer: unknown,
  limit: BytesLimit,
  parts: Readonly<Record<string, BytesLimit>>,
): Content<z.output<S>> {
  const text = answerText(answer, limit, parts)
  if (text instanceof CanonicalJsonError) return notPlain(schema, text)
  const copy = parseCanonicalJson(text)
  return judge(schema, copy, text, (written) => answerText(written, limit, parts))
}

/** The canonical text of each part in the place of the part, at the end of that of the rest. Not canonical itself. */
function answerText(
  answer: unknown,
  limit: BytesLimit,
  parts: Readonly<Record<string, BytesLimit>>,
): string | CanonicalJsonError {
  let remaining = answer
  let partTexts = ''
  for (const [name, partLimit] of Object.entries(parts)) {
    const { value, rest } = takenApart(remaining, name)
    remaining = rest
    if (value === undefined) continue
    const text = canonicalText(value, partLimit)
    if (text instanceof CanonicalJsonError) {
      return new CanonicalJsonError(jsonPointer([name]) + text.pointer, text.rule, text.limit)
    }
    partTexts += `,${JSON.stringify(name)}:${text}`
  }
  const text = canonicalText(remaining, limit)
  if (typeof text !== 'string' || partTexts === '') return text
  return text === '{}' ? `{${partTexts.slice(1)}}` : `${text.slice(0, -1)}${partTexts}}`
}

function judge<S extends z.ZodType>(
  schema: S,
  copy: JsonValue,
  text: string,
  write: (value: unknown) => string | CanonicalJsonError,
): Content<z.output<S>> {
  const parsed = safeParse(schema, copy)
  if (parsed === null) return refused(schema, [{ path: [], rule: 'schema_failed', message: 'cannot be judged' }])
  if (!parsed.success)
    return refused(
      schema,
      parsed.error.issues.slice(0, PROBLEMS_MAX).map((issue) => fromIssue(copy, issue)),
    )
  if (write(parsed.data) !== text) {
    return refused(schema, [{ path: [], rule: 'rewritten', message: 'is not written as the schema writes it' }])
  }
  return { ok: true, text, value: copy as z.output<S> }
}

interface RawProblem {
  readonly path: readonly PropertyKey[]
  readonly rule: string
  readonly message: string
}

/** A refinement is code of the host: when it throws, or waits, the content is not judged, and what it said stays unsaid. */
function safeParse<S extends z.ZodType>(schema: S, copy: JsonValue): z.ZodSafeParseResult<z.output<S>> | null {
  try {
    return schema.safeParse(copy)
  } catch {
    return null
  }
}

function fromIssue(copy: JsonValue, { path, code }: z.core.$ZodIssue): RawProblem {
  const rule = Object.hasOwn(sentences, code) ? code : 'custom'
  return { path, rule, message: OF_A_VALUE.has(rule) && isMissing(copy, path) ? 'is missing' : sentences[rule] }
}

// Plain JSON has no undefined: what is not there is missing, and not of another type.
function isMissing(copy: JsonValue, path: readonly PropertyKey[]): boolean {
  let value: unknown = copy
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true
    value = Reflect.get(value, key)
  }
  return false
}

function notPlain(schema: unknown, { pointer, rule, limit }: CanonicalJsonError): Content<never> {
  const path = parseJsonPointer(pointer)
  assert(path !== null)
  const message = limit === null ? 'is not plain JSON data' : `is over the limit ${limit}`
  return refused(schema, [{ path, rule, message }], limit)
}

function refused(schema: unknown, problems: readonly RawProblem[], limit: LimitName | null = null): Content<never> {
  const { shape } = readSchema(schema)
  return {
    ok: false,
    problems: problems.map(({ path, rule, message }) => ({ path: jsonPointer(knownPath(shape, path)), rule, message })),
    limit,
  }
}
