// IBANs and card numbers are found as they are written, by length and check digits, and random ids are let alone.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { containsCardNumber, containsIban, hasIbans } from '../../src/proposal/content/account-numbers.ts'

describe('an IBAN', () => {
  it.each([
    'DE89370400440532013000',
    'de89370400440532013000',
    'GB29NWBK60161331926819',
    'FR1420041010050500013M02606',
    'NO9386011117947',
    'BE68539007547034',
    'NL91ABNA0417164300',
    'AT611904300234573201',
    'CH9300762011623852957',
    'ES9121000418450200051332',
    'IT60X0542811101000000123456',
    'PL61109010140000071219812874',
    'BR1800360305000010009795493C1',
    'JO94CBJO0010000000000131000302',
    'MT84MALT011000012345MTLCAST001S',
    'LC55HEMM000100010012001200023015',
    'DE89 3704 0044 0532 0130 00',
    'DE89-3704-0044-0532-0130-00',
    'NO93 8601 1117 947',
    'refund:DE89370400440532013000:1',
    'to DE89 3704 0044 0532 0130 00 at once',
    '(GB29NWBK60161331926819)',
    'pay 2024 DE89 3704 0044 0532 0130 00',
  ])('is found in %s', (text) => {
    expect(containsIban(text)).toBe(true)
  })

  it.each([
    ['wrong check digits', 'DE88370400440532013000'],
    ['a digit changed', 'DE89370400440532013001'],
    ['a digit fewer', 'DE8937040044053201300'],
    ['a digit more', 'DE893704004405320130000'],
    ['no country', 'XX89370400440532013000'],
    ['a part of a word', 'xDE89370400440532013000'],
    ['groups of another length', 'DE893 7040 0440 5320 1300 0'],
    ['two signs between groups', 'DE89  3704 0044 0532 0130 00'],
    ['a group too long at the end', 'DE89 3704 0044 0532 013000'],
    ['nothing', ''],
  ])('is not found with %s', (_title, text) => {
    expect(containsIban(text)).toBe(false)
  })

  test.prop([fc.uuid()])('is not found in a UUID without its hyphens', (id) => {
    expect(containsIban(id.replaceAll('-', ''))).toBe(false)
  })

  test.prop([fc.ulid()])('is not found in a ULID', (id) => {
    expect(containsIban(id)).toBe(false)
  })
})

describe('a card number', () => {
  it.each([
    '4111111111111111',
    '4222222222222',
    '5555555555554444',
    '378282246310005',
    '30569309025904',
    '6011111111111117',
    '2221000000000009',
    '2223003122003222',
    '2300000000000003',
    '2500000000000001',
    '2710000000000007',
    '2720992593319364',
    '6304000000000000000',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '3782 822463 10005',
    'card:4111111111111111',
    'x4111111111111111y',
    'order 2024 4111 1111 1111 1111',
    '2024-4111111111111111',
  ])('is found in %s', (text) => {
    expect(containsCardNumber(text)).toBe(true)
  })

  it.each([
    ['a wrong check digit', '4111111111111112'],
    ['twelve digits', '411111111117'],
    ['twenty digits', '41111111111111111115'],
    ['the time in milliseconds', '1764500000005'],
    ['a start that no scheme has', '9111111111111110'],
    ['a start below the second series', '2220000000000000'],
    ['a start above the second series', '2721000000000004'],
    ['a start between the series', '2800000000000008'],
    ['groups that are too short', '41 11 11 11 11 11 11 11'],
    ['groups of which one is too long', '4111 1111111 11111'],
    ['two signs between groups', '4111  1111 1111 1111'],
    ['nothing', ''],
  ])('is not found with %s', (_title, text) => {
    expect(containsCardNumber(text)).toBe(false)
  })

  test.prop([fc.constantFrom('4', '51', '34', '65'), fc.array(fc.nat({ max: 9 }), { minLength: 12, maxLength: 15 })])(
    'has exactly one check digit',
    (start, digits) => {
      const right = Array.from({ length: 10 }, (_, check) => `${start}${digits.join('')}${check}`)

      expect(right.filter(containsCardNumber)).toHaveLength(1)
    },
  )
})

describe('the countries with IBANs', () => {
  it.each(['DE', 'NO', 'RU'])('has %s', (country) => {
    expect(hasIbans(country)).toBe(true)
  })

  it.each(['US', 'de', '', 'XX'])('lacks "%s"', (country) => {
    expect(hasIbans(country)).toBe(false)
  })
})
