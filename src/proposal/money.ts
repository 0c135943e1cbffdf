// Money: a decimal string with an ISO 4217 currency, in the one spelling that the currency's minor units allow.
import { z } from 'zod'
import { minorUnitDigits } from './currencies.ts'

/** An amount of money. `amount` has exactly the digits of the currency's minor unit: `10.00` EUR, `10` JPY. Spec: design D14. */
export type Money = { readonly amount: string; readonly currency: string }

/** What `money()` returns; a strict object of two strings, so that JSON Schema shows what is read. */
export type MoneySchema = z.ZodObject<{ amount: z.ZodString; currency: z.ZodString }, z.core.$strict>

// One zero or no leading zero; no plus, no exponent, no other digits than ASCII.
const amountForm = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/
const currencyForm = /^[A-Z]{3}$/

// Recognition: every schema that `money()` returns is entered here, and nothing else can be. The registry holds the
// schema object itself (weakly), so a look-alike `z.strictObject({ amount, currency })` or a forged `.meta()` is not
// money. zod lets a copy made by `.describe()`, `.meta()` or `.refine()` inherit the entry of the schema it came from.
const moneySchemas = z.registry<{ readonly negative: boolean }>()

/**
 * A schema for money. Amounts are zero or more; `negative: true` allows them below zero.
 * Nothing is rewritten: another spelling of the same amount is refused. Spec: design D14.
 */
export function money(options: { readonly negative?: boolean } = {}): MoneySchema {
  const negative = options.negative === true
  const schema = z
    .strictObject({ amount: z.string().regex(amountForm), currency: z.string().regex(currencyForm) })
    .superRefine((value, context) => {
      const problem = moneyProblem(value, negative)
      if (problem !== null) context.addIssue({ code: 'custom', ...problem })
    })
  moneySchemas.add(schema, { negative })
  return schema
}

/**
 * Whether a schema was made by `money()`. A copy with an added check is still money as long as the check cannot
 * rewrite the value; `.extend()`, `.loose()` and the like make other schemas.
 */
export function isMoneySchema(schema: z.core.$ZodType): boolean {
  return moneySchemas.get(schema) !== undefined && schema._zod.def.checks?.some(rewrites) === false
}

const moneyOfEitherSign = money({ negative: true })

/** Whether a value is money in its one spelling, of either sign. */
export function isMoneyValue(value: unknown): value is Money {
  return moneyOfEitherSign.safeParse(value).success
}

/**
 * The amount as a whole number of minor units: 1000 for `10.00` EUR.
 *
 * @throws TypeError if it is not money in its one spelling; a missing decimal would be off by a hundred.
 */
export function minorUnits(value: Money): bigint {
  if (!isMoneyValue(value)) throw new TypeError('not money: a decimal amount with the minor units of its currency')
  return BigInt(value.amount.replace('.', ''))
}

/** How two amounts compare, or null if they are of different currencies, which nothing here converts. */
export function compareMoney(a: Money, b: Money): -1 | 0 | 1 | null {
  const [left, right] = [minorUnits(a), minorUnits(b)]
  if (a.currency !== b.currency) return null
  return left < right ? -1 : left > right ? 1 : 0
}

function moneyProblem(value: Money, negative: boolean): { path: string[]; message: string } | null {
  const digits = minorUnitDigits(value.currency)
  if (digits === undefined) return { path: ['currency'], message: 'not an active ISO 4217 currency' }
  const decimals = value.amount.split('.')[1]?.length ?? 0
  if (decimals !== digits) return { path: ['amount'], message: 'must have exactly the decimals of its currency' }
  if (!value.amount.startsWith('-')) return null
  if (!negative) return { path: ['amount'], message: 'must not be negative' }
  return /[1-9]/.test(value.amount) ? null : { path: ['amount'], message: 'zero has no sign' }
}

function rewrites(check: z.core.$ZodCheck): boolean {
  return check._zod.def.check === 'overwrite'
}
