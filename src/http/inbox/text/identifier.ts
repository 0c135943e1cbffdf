// Identifiers: account numbers and the like in groups that can be compared by eye, with their check digits looked at.
import { hasIbans, isCardNumber, isIban } from '../../../proposal/content/account-numbers.ts'

/** An identifier as it is shown. The groups together are the text, to the character. */
export interface ShownIdentifier {
  readonly groups: readonly string[]
  readonly kind: 'iban' | 'card_number' | 'other'
  /** Whether its check digits are right; null where it has none that are known. */
  readonly checked: boolean | null
  /** Letters or digits that are not those of ASCII: in an identifier they are never what they seem. */
  readonly foreign: readonly string[]
}

const GROUP = 4
/** A shorter one is read at a glance. */
const GROUPED_FROM = 9
const LIKE_IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}$/

/** An identifier in groups of four; one that has spaces or hyphens is grouped already. Spec: reliability T17. */
export function shownIdentifier(text: string): ShownIdentifier {
  const compact = text.replaceAll(/[ -]/g, '').toUpperCase()
  const isWhole = /^[A-Za-z0-9]+$/.test(text)
  return {
    groups: isWhole && text.length >= GROUPED_FROM ? (text.match(new RegExp(`.{1,${GROUP}}`, 'g')) ?? []) : [text],
    ...kindOf(compact),
    foreign: [...new Set([...text].filter((character) => /(?![A-Za-z0-9])[\p{L}\p{N}]/u.test(character)))],
  }
}

function kindOf(compact: string): Pick<ShownIdentifier, 'kind' | 'checked'> {
  if (LIKE_IBAN.test(compact) && hasIbans(compact.slice(0, 2))) return { kind: 'iban', checked: isIban(compact) }
  return isCardNumber(compact) ? { kind: 'card_number', checked: true } : { kind: 'other', checked: null }
}

/** Which groups differ from those of the value before; every one where they cannot be compared. */
export function changedGroups(before: ShownIdentifier, after: ShownIdentifier): readonly boolean[] {
  return after.groups.map((group, index) => before.groups[index] !== group)
}
