// The resolution: what an action's resolve may answer, and when the business state has drifted.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonValue } from '../../src/effect/canonical-json.ts'
import { limits } from '../../src/effect/limits.ts'
import { parseContent } from '../../src/proposal/content/boundary.ts'
import type { HostCall } from '../../src/proposal/answers/executor-word.ts'
import { preparedSchema } from '../../src/proposal/answers/preparation.ts'
import { judgeResolution, type Resolution, resolvedSchema } from '../../src/proposal/answers/resolution.ts'

const snapshot = z.strictObject({ order: z.string(), version: z.int(), refunded: z.string(), seenAt: z.int() })
const schema = resolvedSchema(snapshot)
const approved = { order: 'ORD-1', version: 7, refunded: '20.00', seenAt: 1 }
const materiality = { immaterial: ['/seenAt'], sets: [] }
const unchanged = { current: approved, precondition: 'order-version:7' }

describe('what is valid', () => {
  it('is the state now and what the executor must enforce', () => {
    expect(resolve(unchanged)).toEqual({ ...unchanged, drift: null, replacement: undefined })
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a word', 'unchanged'],
    ['no precondition', { current: approved }],
    ['an empty precondition', { ...unchanged, precondition: '' }],
    ['a precondition that is no reference', { ...unchanged, precondition: 'two\nlines' }],
    ['no state', { precondition: 'order-version:7' }],
    ['a state of another shape', { ...unchanged, current: { ...approved, iban: 'x' } }],
    ['a state that lacks something', { ...unchanged, current: { order: 'ORD-1' } }],
    ['a state with a fraction', { ...unchanged, current: { ...approved, version: 7.5 } }],
    ['another key', { ...unchanged, drifted: true }],
    ['drift that is no boolean', { ...unchanged, materiallyDrifted: 'no' }],
    ['a proxy', new Proxy(unchanged, {})],
    [
      'a proxy with a replacement',
      new Proxy({ ...unchanged, replacement: approved }, { get: throwing, has: throwing }),
    ],
    [
      'a class instance with a replacement',
      new (class {
        readonly current = approved
        readonly precondition = 'v7'
        readonly replacement = approved
      })(),
    ],
    [
      'a replacement that is computed',
      Object.defineProperty({ ...unchanged }, 'replacement', { enumerable: true, get: throwing }),
    ],
    ['a state that is too large', { ...unchanged, current: { ...approved, order: 'x'.repeat(limits.snapshotBytes) } }],
  ])('%s is not', (_, value) => {
    expect(resolve(value)).toBe(null)
  })

  it.each<[string, HostCall]>([
    ['a throw', { kind: 'threw', error: unchanged }],
    ['a time-out', { kind: 'timed_out' }],
  ])('%s is not', (_, call) => {
    expect(judgeResolution(call, schema, approved, materiality)).toBe(null)
  })

  it('takes properties that are undefined as absent', () => {
    expect(resolve({ ...unchanged, materiallyDrifted: undefined, replacement: undefined })?.drift).toBe(null)
  })

  it('copies and freezes the state', () => {
    const current = { ...approved }
    const resolution = resolve({ ...unchanged, current })
    current.version = 8

    expect(resolution?.current).toEqual(approved)
    expect(Object.isFrozen(resolution?.current)).toBe(true)
  })
})

describe('what is drift', () => {
  it.each<[string, object, Resolution['drift']]>([
    ['nothing that is material differs', { current: { ...approved, seenAt: 2 } }, null],
    ['a field differs', { current: { ...approved, version: 8 } }, { reason: 'material_drift', paths: ['/version'] }],
    [
      'several differ',
      { current: { ...approved, version: 8, refunded: '30.00' } },
      { reason: 'material_drift', paths: ['/version', '/refunded'] },
    ],
    ['the thing is gone', { current: null }, { reason: 'subject_gone', paths: [] }],
    ['the host says so', { materiallyDrifted: true }, { reason: 'host_reports_drift', paths: [] }],
    ['the host says not, and it is right', { materiallyDrifted: false }, null],
    [
      'the host says not, and a field differs',
      { materiallyDrifted: false, current: { ...approved, version: 8 } },
      { reason: 'material_drift', paths: ['/version'] },
    ],
    [
      'the host says not, and the thing is gone',
      { materiallyDrifted: false, current: null },
      { reason: 'subject_gone', paths: [] },
    ],
    [
      'the host says so, and a field differs',
      { materiallyDrifted: true, current: { ...approved, version: 8 } },
      { reason: 'material_drift', paths: ['/version'] },
    ],
  ])('%s', (_, changes, drift) => {
    expect(resolve({ ...unchanged, ...changes })?.drift).toEqual(drift)
  })

  it.each<[string, unknown]>([
    ['a fine one', { ...approved, version: 8 }],
    ['a bad one, which must not hide the drift', { iban: 'x' }],
    ['one that is not even data', throwing],
  ])('a replacement is handed on as it is: %s', (_, replacement) => {
    const resolution = resolve({ ...unchanged, current: null, replacement })

    expect(resolution?.replacement).toBe(replacement)
    expect(resolution?.drift?.reason).toBe('subject_gone')
  })
})

describe('what prepare answers', () => {
  const prepared = preparedSchema(snapshot)
  const ordinary = { snapshot: approved, effectReference: 'er_1' }

  it.each<[string, unknown, boolean]>([
    ['snapshot and effect', ordinary, true],
    ['with a subject', { ...ordinary, subject: 'ORD-1' }, true],
    ['without an effect', { snapshot: approved }, false],
    ['with a policy, which the definition chooses', { ...ordinary, policy: { require: [] } }, false],
    ['with a snapshot of another shape', { ...ordinary, snapshot: {} }, false],
  ])('%s', (_, value, isValid) => {
    expect(parseContent(prepared, value, 'snapshotBytes').ok).toBe(isValid)
  })
})

function resolve(value: unknown): Resolution | null {
  const content: JsonValue = approved
  return judgeResolution({ kind: 'returned', value }, schema, content, materiality)
}

function throwing(): never {
  throw new Error('a trap')
}
