// Money has one spelling per amount, is compared exactly, and its schema is recognised and rewrites nothing.
import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { currencyCodes, minorUnitDigits } from '../../src/proposal/currencies.ts'
import { compareMoney, isMoneySchema, isMoneyValue, type Money, minorUnits, money } from '../../src/proposal/money.ts'

const nines = '9'.repeat(400)

describe('money()', () => {
  it.each([
    ['10.00', 'EUR'],
    ['0.00', 'EUR'],
    ['0.05', 'USD'],
    ['5800', 'JPY'],
    ['0', 'JPY'],
    ['1.234', 'KWD'],
    ['0.0001', 'CLF'],
    ['10.00', 'XCG'],
    ['10.00', 'ZWG'],
    ['10', 'XAF'],
    [`${nines}.99`, 'EUR'],
  ])('takes %s %s', (amount, currency) => {
    expect(money().safeParse({ amount, currency })).toEqual({ success: true, data: { amount, currency } })
    expect(isMoneyValue({ amount, currency })).toBe(true)
  })

  it.each([
    ['yen with decimals', '5800.00', 'JPY', '/amount'],
    ['euro without decimals', '5800', 'EUR', '/amount'],
    ['one decimal too few', '10.0', 'EUR', '/amount'],
    ['one decimal too many', '10.000', 'EUR', '/amount'],
    ['dinar with the decimals of a dollar', '1.23', 'KWD', '/amount'],
    ['a leading zero', '010.00', 'EUR', '/amount'],
    ['two zeros', '00.00', 'EUR', '/amount'],
    ['a plus', '+10.00', 'EUR', '/amount'],
    ['no whole part', '.10', 'EUR', '/amount'],
    ['no decimals after the point', '10.', 'JPY', '/amount'],
    ['an exponent', '1e3', 'JPY', '/amount'],
    ['hexadecimal', '0x10', 'JPY', '/amount'],
    ['a separator', '1,000.00', 'EUR', '/amount'],
    ['a decimal comma', '10,00', 'EUR', '/amount'],
    ['an underscore', '1_000.00', 'EUR', '/amount'],
    ['a space before', ' 10.00', 'EUR', '/amount'],
    ['a line end after', '10.00\n', 'EUR', '/amount'],
    ['full-width digits', '１０.００', 'EUR', '/amount'],
    ['Arabic digits', '١٠', 'JPY', '/amount'],
    ['a typographic minus', '−10.00', 'EUR', '/amount'],
    ['nothing', '', 'JPY', '/amount'],
    ['infinity', 'Infinity', 'JPY', '/amount'],
    ['a currency that does not exist', '10.00', 'ABC', '/currency'],
    ['a currency that is gone', '10.00', 'HRK', '/currency'],
    ['the lev, gone since 2026', '10.00', 'BGN', '/currency'],
    ['gold, which has no minor unit', '10', 'XAU', '/currency'],
    ['a lower-case code', '10.00', 'eur', '/currency'],
    ['a full-width code', '10.00', 'ＥＵＲ', '/currency'],
    ['a name of Object.prototype', '10.00', 'constructor', '/currency'],
  ])('refuses %s: %j %s', (_case, amount, currency, path) => {
    const result = money({ negative: true }).safeParse({ amount, currency })

    expect(result.error?.issues.map((issue) => `/${issue.path.join('/')}`)).toContain(path)
    expect(isMoneyValue({ amount, currency })).toBe(false)
  })

  it.each([
    ['a number', { amount: 10, currency: 'EUR' }],
    ['a further field', { amount: '10.00', currency: 'EUR', note: '' }],
    ['a missing field', { amount: '10.00' }],
    ['no object', '10.00 EUR'],
    ['null', null],
    ['a list', ['10.00', 'EUR']],
  ])('refuses %s', (_case, value) => {
    expect(money().safeParse(value).success).toBe(false)
    expect(isMoneyValue(value)).toBe(false)
  })

  it('allows amounts below zero only when asked, and never a zero with a sign', () => {
    const signed = money({ negative: true })

    expect(money().safeParse({ amount: '-10.00', currency: 'EUR' }).success).toBe(false)
    expect(signed.safeParse({ amount: '-10.00', currency: 'EUR' }).success).toBe(true)
    expect(signed.safeParse({ amount: '-0.01', currency: 'EUR' }).success).toBe(true)
    expect(signed.safeParse({ amount: '-0.00', currency: 'EUR' }).success).toBe(false)
    expect(signed.safeParse({ amount: '-0', currency: 'JPY' }).success).toBe(false)
    expect(isMoneyValue({ amount: '-10.00', currency: 'EUR' })).toBe(true)
  })

  it('never repeats the value in what it says about it', () => {
    const result = money().safeParse({ amount: '4711.0815', currency: 'QQQ' })

    expect(JSON.stringify(result.error?.issues)).not.toMatch(/4711|QQQ/)
  })

  it('shows its two fields and their forms in JSON Schema', () => {
    expect(z.toJSONSchema(money())).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: ['amount', 'currency'],
      properties: { amount: { type: 'string' }, currency: { type: 'string', pattern: '^[A-Z]{3}$' } },
    })
  })
})

describe('the schema of money', () => {
  it('is recognised, also as a described or narrowed copy', () => {
    expect(isMoneySchema(money())).toBe(true)
    expect(isMoneySchema(money({ negative: true }))).toBe(true)
    expect(isMoneySchema(money().describe('What goes back'))).toBe(true)
    expect(isMoneySchema(money().refine(({ currency }) => currency === 'EUR'))).toBe(true)
  })

  it.each([
    ['one that merely looks alike', z.strictObject({ amount: z.string(), currency: z.string() })],
    ['one that says so itself', z.strictObject({ amount: z.string() }).meta({ money: true, negative: false })],
    ['an extended one', money().extend({ note: z.string() })],
    ['one with another field', money().safeExtend({ note: z.string() })],
    ['an opened one', money().loose()],
    ['one that drops what is too much', money().strip()],
    ['one around it', money().nullable()],
    ['one that rewrites', money().overwrite((value) => ({ ...value, amount: '0.00' }))],
    [
      'one that rewrites and was described',
      money()
        .overwrite((value) => value)
        .describe('Hidden'),
    ],
    ['text', z.string()],
  ])('is not confused with %s', (_case, schema) => {
    expect(isMoneySchema(schema)).toBe(false)
  })
})

describe('amounts', () => {
  it('are whole numbers of minor units', () => {
    expect(minorUnits({ amount: '10.00', currency: 'EUR' })).toBe(1_000n)
    expect(minorUnits({ amount: '10', currency: 'JPY' })).toBe(10n)
    expect(minorUnits({ amount: '0.001', currency: 'KWD' })).toBe(1n)
    expect(minorUnits({ amount: '-0.50', currency: 'EUR' })).toBe(-50n)
  })

  it('are not read from any other spelling', () => {
    expect(() => minorUnits({ amount: '10', currency: 'EUR' })).toThrow(TypeError)
    expect(() => compareMoney({ amount: '10.00', currency: 'EUR' }, { amount: '9', currency: 'EUR' })).toThrow(
      TypeError,
    )
  })

  it.each([
    ['9.99', '10.00', 'EUR', -1],
    ['10.00', '10.00', 'EUR', 0],
    ['10.01', '10.00', 'EUR', 1],
    ['9', '10', 'JPY', -1],
    ['-10.00', '0.00', 'EUR', -1],
    [`${nines}.98`, `${nines}.99`, 'EUR', -1],
  ] as const)('compare exactly: %s with %s %s', (left, right, currency, expected) => {
    expect(compareMoney({ amount: left, currency }, { amount: right, currency })).toBe(expected)
  })

  it('do not compare across currencies', () => {
    expect(compareMoney({ amount: '50000.00', currency: 'USD' }, { amount: '10000.00', currency: 'EUR' })).toBeNull()
    expect(compareMoney({ amount: '5800', currency: 'JPY' }, { amount: '5800.00', currency: 'EUR' })).toBeNull()
  })

  it.prop([fc.bigInt(), fc.bigInt(), fc.constantFrom(...currencyCodes)])(
    'compare as their minor units do, in every currency',
    (left, right, currency) => {
      const [a, b] = [spelled(left, currency), spelled(right, currency)]

      expect([minorUnits(a), minorUnits(b)]).toEqual([left, right])
      expect(compareMoney(a, b)).toBe(left < right ? -1 : left > right ? 1 : 0)
    },
  )
})

describe('the table of currencies', () => {
  it('has each code once, in three capital letters', () => {
    expect(new Set(currencyCodes).size).toBe(currencyCodes.length)
    expect(currencyCodes.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([])
    expect(currencyCodes).toHaveLength(165)
  })

  it.each([
    ['JPY', 0],
    ['CLP', 0],
    ['ISK', 0],
    ['EUR', 2],
    ['HUF', 2],
    ['MGA', 2],
    ['BHD', 3],
    ['IQD', 3],
    ['UYW', 4],
    ['XXX', undefined],
    ['ANG', undefined],
    ['ZWL', undefined],
  ])('gives %s %s decimals', (code, digits) => {
    expect(minorUnitDigits(code)).toBe(digits)
  })
})

function spelled(units: bigint, currency: string): Money {
  const digits = minorUnitDigits(currency) ?? Number.NaN
  const sign = units < 0n ? '-' : ''
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  return { amount: digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${text.slice(-digits)}`, currency }
}
