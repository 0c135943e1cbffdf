// References and reason codes: the only two forms of text that identify something, checked once and branded.

declare const brand: unique symbol

/**
 * An opaque name: tenants, principals, effects, preconditions, subjects, external references. 1 to 255 code points,
 * NFC, trimmed, no character of Unicode category C. Made only by {@link parseReference}. Spec: lifecycle 1.
 */
export type Reference = string & { readonly [brand]: 'Reference' }

/** A machine-readable reason, `[a-z0-9_.-]{1,64}`. Made only by {@link parseReasonCode}. Spec: lifecycle 1. */
export type ReasonCode = string & { readonly [brand]: 'ReasonCode' }

/** The rule that a malformed value breaks. */
export type MalformedValueRule =
  | 'not_a_string'
  | 'empty'
  | 'too_long'
  | 'lone_surrogate'
  | 'not_nfc'
  | 'not_trimmed'
  | 'control_character'
  | 'not_a_reason_code'

/** A value from outside is no reference or reason code; says where and why, never which value. */
export class MalformedValueError extends Error {
  override readonly name = 'MalformedValueError'
  readonly code = 'malformed_value'
  /** JSON Pointer to the value in what was given. */
  readonly pointer: string
  readonly rule: MalformedValueRule

  constructor(pointer: string, rule: MalformedValueRule) {
    super(`Malformed value at "${pointer}": ${rule}`)
    this.pointer = pointer
    this.rule = rule
  }
}

const CODE_POINTS_MAX = 255
const CATEGORY_C = /\p{C}/u
const REASON_CODE = /^[a-z0-9_.-]{1,64}$/

/** Whether the value is a reference as it stands. */
export function isReference(value: unknown): value is Reference {
  return brokenRule(value) === null
}

/**
 * The value as a reference. Text is never rewritten: what is not NFC or not trimmed is refused.
 * @throws MalformedValueError
 */
export function parseReference(value: unknown, pointer: string): Reference {
  const rule = brokenRule(value)
  if (rule !== null) throw new MalformedValueError(pointer, rule)
  return value as Reference
}

/**
 * The value as a reason code.
 * @throws MalformedValueError
 */
export function parseReasonCode(value: unknown, pointer: string): ReasonCode {
  if (typeof value !== 'string') throw new MalformedValueError(pointer, 'not_a_string')
  if (!REASON_CODE.test(value)) throw new MalformedValueError(pointer, 'not_a_reason_code')
  return value as ReasonCode
}

/** The length comes first, so that nothing long is normalized; a code point is at most two UTF-16 units. */
function brokenRule(value: unknown): MalformedValueRule | null {
  if (typeof value !== 'string') return 'not_a_string'
  if (value === '') return 'empty'
  if (value.length > 2 * CODE_POINTS_MAX || [...value].length > CODE_POINTS_MAX) return 'too_long'
  if (!value.isWellFormed()) return 'lone_surrogate'
  if (value.normalize('NFC') !== value) return 'not_nfc'
  if (value.trim() !== value) return 'not_trimmed'
  return CATEGORY_C.test(value) ? 'control_character' : null
}
