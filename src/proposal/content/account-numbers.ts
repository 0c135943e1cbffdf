// Account and card numbers in a text: IBANs and payment cards, told by length and check digits.

// The length of an IBAN by country, as registered under ISO 13616.
const ibanLengths: ReadonlyMap<string, number> = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE BI',
    18: 'DK FI FK FO GL NL SD',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU MN XK',
    21: 'CH HR LI LV',
    22: 'BG BH CR DE GB GE IE ME RS VA',
    23: 'AE GI IL IQ OM SO TL',
    24: 'AD CZ ES MD PK RO SA SE SK TN VG',
    25: 'LY PT ST',
    26: 'IS TR',
    27: 'BI DJ FR GR IT MC MR SM',
    28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU YE',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) => countries.split(' ').map((country) => [country, Number(length)] as const)),
)

// How the numbers of the large card schemes begin.
const cardStart = /^(?:2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|[3-6])/

/** Whether accounts of a country have an IBAN. `country` is its two letters. */
export function hasIbans(country: string): boolean {
  return ibanLengths.has(country)
}

/** Whether an IBAN with right check digits stands in the text: in one word, or in words of four. */
export function containsIban(text: string): boolean {
  const words = text.toUpperCase().split(/[^A-Z0-9 -]+/)
  return words.some((segment) => someRun(segment.split(/[ -]/), isIban, /^[A-Z0-9]{1,4}$/))
}

/** Whether a number of a payment card with the right check digit stands in the text: in one word, or in groups. */
export function containsCardNumber(text: string): boolean {
  const words = text.split(/[^0-9 -]+/)
  return words.some((segment) => someRun(segment.split(/[ -]/), isCardNumber, /^[0-9]{3,6}$/))
}

/** Whether a word, or a run of words of which the first has four characters and each has the form of a group, is meant. */
function someRun(words: readonly string[], isMeant: (text: string) => boolean, group: RegExp): boolean {
  return words.some((first, start) => {
    if (isMeant(first)) return true
    let run = first
    if (first.length !== 4) return false
    for (const word of words.slice(start + 1)) {
      if (!group.test(word)) return false
      run += word
      if (isMeant(run)) return true
    }
    return false
  })
}

/**
 * Whether the text is an IBAN of a registered country, in capitals and without spaces, with the right check digits:
 * ISO 7064 mod 97-10, digit by digit, where letters count from 10 and the first four characters come last.
 */
export function isIban(text: string): boolean {
  if (ibanLengths.get(text.slice(0, 2)) !== text.length) return false
  const digits = [...(text.slice(4) + text.slice(0, 4))].map((character) => Number.parseInt(character, 36)).join('')
  return [...digits].reduce((remainder, digit) => (remainder * 10 + Number(digit)) % 97, 0) === 1
}

/**
 * Whether the text is the number of a payment card, in digits alone, with the right check digit by ISO/IEC 7812: from the
 * right, every second digit counts twice, and what becomes two digits is added up.
 */
export function isCardNumber(text: string): boolean {
  if (!/^[0-9]{13,19}$/.test(text) || !cardStart.test(text)) return false
  const sum = [...text].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
