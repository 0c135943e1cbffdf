// References and reason codes: what is one, and by which rule everything else is refused.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { isReference, MalformedValueError, parseReasonCode, parseReference } from '../../src/effect/reference.ts'

describe('a reference', () => {
  it.each([
    ['an opaque name', 'refund:01K4Y8Q5X7M2N9R3T6V8W1Z4AB'],
    ['one character', 'x'],
    ['blanks inside', 'order 17'],
    ['composed letters', 'caf\u00E9'],
    ['letters of any script', '\u6CE8\u6587-\u0437\u0430\u043A\u0430\u0437'],
    ['255 characters', 'x'.repeat(255)],
    ['255 code points, which are 510 UTF-16 units', '\u{1F4B6}'.repeat(255)],
  ])('may be %s', (_, text) => {
    expect(parseReference(text, '/reference')).toBe(text)
    expect(isReference(text)).toBe(true)
  })

  it.each([
    ['undefined', undefined, 'not_a_string'],
    ['null', null, 'not_a_string'],
    ['a number', 17, 'not_a_string'],
    ['a boxed string', new Object('x'), 'not_a_string'],
    ['the empty string', '', 'empty'],
    ['256 characters', 'x'.repeat(256), 'too_long'],
    ['256 code points', '\u{1F4B6}'.repeat(256), 'too_long'],
    ['a million characters', 'x'.repeat(1_000_000), 'too_long'],
    ['a lone surrogate', 'x\uD800', 'lone_surrogate'],
    ['a decomposed letter', 'cafe\u0301', 'not_nfc'],
    ['a blank in front', ' x', 'not_trimmed'],
    ['a blank behind', 'x ', 'not_trimmed'],
    ['a no-break space behind', 'x\u00A0', 'not_trimmed'],
    ['a line break behind', 'x\n', 'not_trimmed'],
    ['a control character', 'x\u0000y', 'control_character'],
    ['a line break', 'x\ny', 'control_character'],
    ['a zero-width space', 'x\u200By', 'control_character'],
    ['a right-to-left override', 'x\u202Ey', 'control_character'],
    ['a soft hyphen', 'x\u00ADy', 'control_character'],
    ['a private-use character', 'x\uE000y', 'control_character'],
    ['an unassigned character', 'x\u0378y', 'control_character'],
  ])('is not %s', (_, value, rule) => {
    expect(isReference(value)).toBe(false)
    expect(() => parseReference(value, '/effect/reference')).toThrow(
      expect.objectContaining({ code: 'malformed_value', pointer: '/effect/reference', rule }),
    )
  })

  it('is refused without its value in the message', () => {
    const error = new MalformedValueError('/iban', 'not_trimmed')

    expect(error.message).toBe('Malformed value at "/iban": not_trimmed')
    expect(error.name).toBe('MalformedValueError')
  })

  test.prop([fc.string({ unit: 'binary', maxLength: 300 })])('is exactly what the rules of lifecycle 1 say', (text) => {
    const codePoints = [...text]
    const allowed =
      codePoints.length > 0 &&
      codePoints.length <= 255 &&
      text === text.normalize('NFC') &&
      text === text.trim() &&
      codePoints.every((character) => !/^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]$/u.test(character))

    expect(isReference(text)).toBe(allowed)
  })
})

describe('a reason code', () => {
  it.each(['a', 'order_changed_during_execution', 'psp.refused-3', 'x'.repeat(64)])('may be "%s"', (text) => {
    expect(parseReasonCode(text, '/reason')).toBe(text)
  })

  it.each([
    ['a number', 1, 'not_a_string'],
    ['null', null, 'not_a_string'],
    ['the empty string', '', 'not_a_reason_code'],
    ['65 characters', 'x'.repeat(65), 'not_a_reason_code'],
    ['an upper-case letter', 'Refused', 'not_a_reason_code'],
    ['a blank', 'not found', 'not_a_reason_code'],
    ['a line break at the end', 'refused\n', 'not_a_reason_code'],
    ['a letter beyond ASCII', 'caf\u00E9', 'not_a_reason_code'],
  ])('is not %s', (_, value, rule) => {
    expect(() => parseReasonCode(value, '/reason')).toThrow(
      expect.objectContaining({ code: 'malformed_value', pointer: '/reason', rule }),
    )
  })
})
