// Texts that are drawn where a schema asks for one: short ones, long ones, and some that have done harm elsewhere.
import { fc } from '@fast-check/vitest'

const HOSTILE = [
  "'; drop table proposals; --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%00',
  '%',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'null',
  '0',
  '-1',
  '1e400',
  ' leading',
  'trailing ',
  '\u0000',
  '\u202Eevil',
  'e\u0301',
  '\u{1F4B6}',
  '\uFEFF',
  '\n',
  'a,b',
  '"quoted"',
]

/** Well-formed text of so many characters. */
export function text(min = 0, max = 1_000): fc.Arbitrary<string> {
  const short = fc.string({ unit: 'binary', minLength: min, maxLength: Math.min(max, Math.max(min, 12)) })
  const hostile = HOSTILE.filter((one) => [...one].length >= min && [...one].length <= max)
  return fc.oneof(
    { weight: 6, arbitrary: short },
    { weight: 4, arbitrary: fc.constantFrom(...(hostile.length > 0 ? hostile : ['a'.repeat(min)])) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(max), '\u{1F4B6}'.repeat(max)) },
  )
}

/** What a header can hold: visible ASCII, no space at its ends. */
export function headerText(min = 0, max = 100): fc.Arbitrary<string> {
  return fc
    .string({ unit: 'grapheme-ascii', minLength: min, maxLength: max })
    .filter((one) => one.length >= min && one.trim() === one && /^[ -~]*$/.test(one))
}
