// The form of a preview: what its schema declares, what its values say by themselves, and that nothing is left out.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fieldAt, previewForm } from '../../../src/http/inbox/preview/form.ts'
import { renderFields } from '../../../src/http/inbox/preview/render-value.ts'
import { checkSchema } from '../../../src/proposal/definition/schema-check.ts'
import { money } from '../../../src/proposal/money.ts'
import type { JsonValue } from '../../../src/effect/canonical-json.ts'

const schema = z
  .strictObject({
    heading: z.string().meta({ inbox: { as: 'title' } }),
    payee: z.string().meta({ inbox: { as: 'party', label: 'Payee' } }),
    account: z
      .strictObject({ before: z.nullable(z.string()), after: z.string() })
      .meta({ inbox: { as: 'identifier', label: 'Account' } }),
    amount: money().meta({ inbox: { label: 'To pay' } }),
    dueDate: z.iso.date(),
    sentAt: z.string().meta({ inbox: { as: 'date', timeZone: 'Europe/Berlin' } }),
    lines: z.array(z.strictObject({ what: z.string(), price: money() })).meta({ inbox: { as: 'list' } }),
    remark: z.nullable(z.string()).meta({ inbox: { as: 'note' } }),
    isUrgent: z.boolean(),
  })
  .meta({ inbox: { effect: 'It is paid.', undo: 'It cannot be undone.' } })

const preview: JsonValue = {
  account: { before: 'DE89370400440532013000', after: 'DE02120300000000202051' },
  amount: { amount: '1250.00', currency: 'EUR' },
  dueDate: '2026-12-01',
  heading: 'Pay an invoice',
  isUrgent: true,
  lines: [{ what: 'Paper', price: { amount: '1250.00', currency: 'EUR' } }],
  payee: 'Müller GmbH',
  remark: 'Two\nlines',
  sentAt: '2026-06-01T12:00:00Z',
}

const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })

function texts(form: ReturnType<typeof previewForm>): string {
  return renderFields(form.fields, 'UTC')
    .toString()
    .replaceAll(/<[^>]+>/g, '|')
}

describe('a declared form', () => {
  it('is made of the metadata of a schema that an action may have', () => {
    expect(checkSchema(schema, 'preview')).toEqual([])
    expect(previewForm(json, preview)).toMatchObject({
      title: 'Pay an invoice',
      effect: 'It is paid.',
      undo: 'It cannot be undone.',
      amount: { amount: '1250.00', currency: 'EUR' },
      target: 'Müller GmbH',
      fields: [
        { label: 'Payee', shown: { as: 'party' } },
        { label: 'Account', shown: { as: 'identifier', before: 'DE89370400440532013000' } },
        { label: 'To pay', shown: { as: 'money' } },
        { label: 'Due date', shown: { as: 'day' } },
        { label: 'Sent at', shown: { as: 'instant', timeZone: 'Europe/Berlin' } },
        { label: 'Lines', shown: { as: 'list', items: [{ as: 'fields' }] } },
        { label: 'Remark', shown: { as: 'note' } },
        { label: 'Is urgent', shown: { as: 'text', text: 'yes' } },
      ],
    })
  })

  it('shows the old account beside the new one, each in groups with its check', () => {
    const shown = texts(previewForm(json, preview))

    expect(shown).toMatch(/Before[\s|]+DE89[\s|]+3704[\s|]+0044.*New[\s|]+DE02[\s|]+1203/)
    expect(shown.match(/IBAN, check digits right/g)).toHaveLength(2)
    expect(shown).toContain('1,250.00 EUR')
    expect(shown).toContain('1 Jun 2026, 14:00:00 CEST')
  })
})

describe('without a declaration', () => {
  it('values say by themselves what they are, and names are words', () => {
    const form = previewForm(null, preview)

    expect(form).toMatchObject({ title: null, effect: null, amount: { amount: '1250.00' } })
    expect(form.fields.map(({ label }) => label)).toEqual([
      'Account',
      'Amount',
      'Due date',
      'Heading',
      'Is urgent',
      'Lines',
      'Payee',
      'Remark',
      'Sent at',
    ])
    expect(form.fields.map(({ shown }) => shown.as)).toEqual([
      'fields',
      'money',
      'day',
      'text',
      'text',
      'list',
      'text',
      'note',
      'instant',
    ])
  })

  it.each<[string, JsonValue]>([
    ['a field that the schema does not know', { ...preview, extra: 'EXTRA' }],
    ['a value that is not what was declared', { ...preview, account: 'EXTRA', payee: ['EXTRA'], sentAt: 'EXTRA' }],
    ['a field deep inside', { ...preview, lines: [{ what: { deeper: [{ still: 'EXTRA' }] } }] }],
  ])('nothing is left out: %s', (_, value) => {
    expect(texts(previewForm(json, value))).toContain('EXTRA')
  })

  it('the first text is the target, also with a line break in it, and a declared note is none', () => {
    const noted = z.strictObject({ remark: z.string().meta({ inbox: { as: 'note' } }), order: z.string() })
    const notedJson = z.toJSONSchema(noted, { io: 'input' })

    expect(previewForm(null, { order: 'ORD-1\n', other: 'ORD-2' }).target).toBe('ORD-1\n')
    expect(previewForm(notedJson, { remark: 'Two\nlines', order: 'ORD-1' }).target).toBe('ORD-1')
  })

  it('a preview that is no object is shown too', () => {
    expect(texts(previewForm(json, ['EXTRA']))).toContain('EXTRA')
    expect(texts(previewForm(json, null))).toContain('(none)')
  })

  it('a long list has all of its entries, some of them behind a click', () => {
    const names = Array.from({ length: 200 }, (_, index) => `entry-${index}`)

    const html = renderFields(previewForm(null, { names }).fields, 'UTC').toString()

    expect(names.filter((name) => !html.includes(`>${name}<`))).toEqual([])
    expect(html).toContain('Show all 200 entries')
  })
})

describe('what differs', () => {
  it('is named and shown as in the preview', () => {
    expect(fieldAt(json, '/amount', { amount: '2.00', currency: 'EUR' })).toMatchObject({
      label: 'To pay',
      shown: { as: 'money' },
    })
    expect(fieldAt(json, '/account/after', 'X')).toMatchObject({ label: 'Account, After' })
    expect(fieldAt(json, '/lines/1/what', 'X')).toMatchObject({ label: 'Lines, no. 2, What' })
    const gone: JsonValue | undefined = [][0]
    expect(fieldAt(json, '/lines/1', gone)).toMatchObject({ shown: { as: 'nothing' } })
  })
})
