// Effect references: derived ones, which say nothing, and the refusal of those that would outlive erasure and say something.
import type { JsonValue } from '../../effect/canonical-json.ts'
import { base32, framed, hmacSha256 } from '../../effect/hash.ts'
import type { Reference } from '../../effect/reference.ts'
import { containsCardNumber, containsIban } from './account-numbers.ts'

/**
 * A part that can be no part of a reference. Most often it stood in the command, which will fail in the same way however
 * often it is sent.
 */
export class NoReferencePart extends TypeError {
  constructor() {
    super('a part of an effect reference is a string in Unicode normal form C')
    this.name = 'NoReferencePart'
  }
}

/**
 * An opaque reference: equal parts name the same effect, for ever, and nobody without the key can find the parts. Parts
 * are identifiers: two spellings of one name would be two effects, so what is not NFC is refused, never rewritten. The
 * effect domain is no part: it stands beside the reference in the key of the effect, and an action that moves to another
 * domain must find what was done under the former one (rules R9, trace S11).
 *
 * @throws TypeError if there are no parts; NoReferencePart if one is not a string in normal form C.
 */
export function deriveEffectReference(
  referenceKey: Uint8Array,
  tenant: Reference,
  parts: readonly string[],
): Reference {
  if (parts.length === 0) throw new TypeError('an effect reference is derived from at least one part')
  if (!parts.every(isPart)) throw new NoReferencePart()
  const digest = hmacSha256(referenceKey, framed(['countersign/effect-reference/v1', tenant, ...parts]))
  return `er_${base32(digest)}` as Reference
}

// So many characters do not stand in a random id by accident; four digits do, in one of some thousand ids.
const TELLING_CHARACTERS = 6

/**
 * Whether a reference that the host made names private things: a string of the command or snapshot, an e-mail address,
 * an IBAN or a card number. It stays after erasure, so it must say nothing. Upper and lower case are one. A string of six
 * or more characters may not be anywhere in it, a shorter one may not be a word of it. Numbers are not looked for: small
 * ones stand in every random id. References that were derived here need not be asked about. Spec: lifecycle 1.
 */
export function isIdentifying(reference: Reference, contents: readonly JsonValue[]): boolean {
  if (/[^\s@]@[^\s@]+\.[^\s@]/.test(reference) || containsIban(reference) || containsCardNumber(reference)) return true
  const text = folded(reference)
  const words = spaced(text)
  const isIn = (part: string): boolean =>
    ([...part].length >= TELLING_CHARACTERS && text.includes(part)) ||
    (spaced(part).trim() !== '' && words.includes(spaced(part)))
  return contents.some((content) => stringsOf(content).some((part) => isIn(folded(part).trim())))
}

function stringsOf(content: JsonValue): readonly string[] {
  if (typeof content === 'string') return [content]
  return typeof content === 'object' && content !== null ? Object.values(content).flatMap(stringsOf) : []
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** The words of a text between single spaces, whatever stood between them. */
function spaced(text: string): string {
  return ` ${text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
}

function isPart(part: unknown): boolean {
  return typeof part === 'string' && part.isWellFormed() && part.normalize('NFC') === part
}
