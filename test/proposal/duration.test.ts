// Durations are positive whole numbers with a unit; everything else is a mistake that says what the form is.
import { describe, expect, it } from 'vitest'
import { type Duration, durationMs, parseDuration } from '../../src/proposal/definition/duration.ts'

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['1ms', 1],
    ['30s', 30_000],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['9007199254740991ms', Number.MAX_SAFE_INTEGER],
  ] as const)('%s is %i ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected)
  })

  it.each([
    '0s',
    '-1s',
    '+1s',
    '01s',
    '1.5h',
    '1e3s',
    '1_000s',
    '10',
    'm',
    '',
    ' 10m',
    '10m ',
    '10m\n',
    '10 m',
    '10M',
    '1w',
    '1h30m',
    '１０m',
    'Infinityms',
    '9007199254740992ms',
    '104249991375d',
    `${'9'.repeat(400)}d`,
  ])('%j is none', (text) => {
    expect(durationMs(text)).toBeNull()
    expect(() => parseDuration(text as Duration)).toThrow(TypeError)
    expect(() => parseDuration(text as Duration)).toThrow("such as '500ms', '30s', '10m', '24h' or '7d'")
  })

  it.each([[10], [null], [undefined], [{ toString: () => '10m' }], [['10m']]])('%j is no text', (value) => {
    expect(durationMs(value)).toBeNull()
  })

  it('is of the right form where the compiler can see it', () => {
    // @ts-expect-error a unit is missing
    expect(() => parseDuration('10')).toThrow(TypeError)
  })
})
