// The largest previews that the limits allow: pages stay small, all of it is shown in parts, and the button is below the last one.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { limits } from '../../../src/effect/limits.ts'
import type { JsonValue } from '../../../src/effect/canonical-json.ts'
import { html } from '../../../src/http/inbox/html.ts'
import { partOf } from '../../../src/http/inbox/pages/parts.ts'
import { fieldRows } from '../../../src/http/inbox/preview/field-rows.ts'
import { previewForm } from '../../../src/http/inbox/preview/form.ts'
import { pieces } from '../../../src/http/inbox/text/pieces.ts'
import { unsound } from '../../runtime/harness.ts'
import { refund } from '../../runtime/refund.ts'
import { finance1, requester } from '../../runtime/sessions.ts'
import { formIn, type InboxWorld, loadedWith, openInbox, PAGE_BYTES_MAX, type Visitor } from './inbox-world.ts'

const schema = z.strictObject({ title: z.string(), lines: z.array(z.string()) })
/** What is left for the texts, beside the names and the quotes. */
const ROOM = limits.previewBytes - 100

interface Lines {
  readonly title: string
  readonly lines: readonly string[]
}

const LARGEST: readonly (readonly [string, Lines])[] = [
  ['one line of zero-width spaces', { title: 'Long', lines: ['\u200B'.repeat(Math.floor(ROOM / 3))] }],
  ['one line that must be escaped', { title: 'Long', lines: [`${'&'.repeat(ROOM - 9)}THE-LAST`] }],
  ['a title that is everything', { title: `${'x'.repeat(ROOM - 9)}THE-LAST`, lines: [] }],
  ['one line of accents', { title: 'Long', lines: [`e${'\u0301'.repeat(Math.floor(ROOM / 2) - 9)}THE-LAST`] }],
  [
    'as many lines as there can be',
    { title: 'Long', lines: Array.from({ length: 9_000 }, (_, index) => String(index % 1_000).padStart(3, '0')) },
  ],
]

async function worldShowing(shown: Lines): Promise<InboxWorld> {
  return openInbox({
    contract: { schemas: { ...refund.schemas, preview: schema } },
    methods: { preview: () => unsound(shown) },
  })
}

/** The first parts of a page, by following its links, and the last one. */
async function partsFrom(visitor: Visitor, path: string): Promise<readonly [...string[], string]> {
  const { text: first } = await visitor.get(path)
  const next = /<a href="([^"]+)">Next part<\/a>/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const count = /Part 1 of (\d+)\./.exec(first)?.[1] ?? ''
  const [second, last] = [await visitor.get(next), await visitor.get(next.replace('part=2', `part=${count}`))]
  expect(last.text).toContain(`Part ${count} of ${count}.`)
  return [first, second.text, last.text]
}

/** The values of the preview as they stand in a page. */
function valuesIn(text: string): string {
  const preview = /<dl class="fields">([\s\S]*?)<\/dl>/.exec(text)?.[1] ?? ''
  return [...preview.matchAll(/<dd><bdi class="text">([\s\S]*?)<\/bdi>/g)].map(([, value = '']) => value).join('')
}

function plain(html: string): string {
  return html
    .replaceAll(/<span class="mark" title="[^"]*">U\+([0-9A-F]+)<\/span>/g, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    )
    .replaceAll('&amp;', '&')
}

describe('the largest preview', () => {
  it.each(LARGEST)('%s: no page is over 60 kB, and nothing is left out on the way to the button', async (_, shown) => {
    const world = await worldShowing(shown)
    const { proposal } = await world.prepared(requester)
    const visitor = world.visitor(finance1)
    const at = `/inbox/proposals/${proposal}`

    const [page, approve] = [await partsFrom(visitor, at), await partsFrom(visitor, `${at}/approve?revision=0`)]

    const sizes = await Promise.all([...page, ...approve].map(loadedWith))
    expect(Math.max(...sizes)).toBeLessThan(PAGE_BYTES_MAX)
    const rows = fieldRows(previewForm(null, { title: 'Long', all: [shown.title, ...shown.lines] }).fields, 'UTC')
    const all = [shown.title, ...shown.lines].join('')
    expect(plain(valuesIn(`<dl class="fields">${rows.map((row) => row.render()).join('')}</dl>`)) === all).toBe(true)
    expect(valuesIn(page[0] ?? '').length).toBeGreaterThan(0)
    for (const text of approve.slice(0, -1)) {
      expect(() => formIn(text, 'approve')).toThrow('no form')
      expect(text).toContain('The preview goes on: the button stands below its last part.')
    }
    const { action, values } = formIn(approve.at(-1) ?? '', 'approve')
    await visitor.post(action, values)
    expect((await world.stored(proposal)).proposal.status).toBe('approved')
  })

  it('costs what the part costs that is asked for: no other row is rendered', () => {
    const rendered: number[] = []
    const rows = Array.from({ length: 9_000 }, (_, index) => ({
      bytes: 100,
      render: () => {
        rendered.push(index)
        return html`<li>${index}</li>`
      },
    }))

    const part = partOf({ name: 'preview', bytesMax: 300, rows, wrap: (some) => html`${some}` }, 5, () => '/inbox')

    expect(rendered).toEqual([12, 13, 14])
    expect(part.shown.toString()).toContain('Part 5 of 3000.')
  })

  it('a part that is none is the last one, and a section that is none is not there', async () => {
    const world = await worldShowing({ title: 'Short', lines: ['one'] })
    const { proposal } = await world.prepared(requester)
    const visitor = world.visitor(finance1)

    const beyond = await visitor.get(`/inbox/proposals/${proposal}/whole/preview?part=99`)
    const unknown = await visitor.get(`/inbox/proposals/${proposal}/whole/snapshot`)

    expect([beyond.status, beyond.text.includes('<bdi class="text">one</bdi>'), unknown.status]).toEqual([
      200,
      true,
      404,
    ])
    expect(() => formIn(beyond.text, 'approve')).toThrow('no form')
  })
})

describe('a title', () => {
  // The heading ends somewhere between them; a mark takes more room than a letter.
  const long = [200, 239, 240, 241, 300, 399, 400, 401, 900].map((length) => 'x'.repeat(length))
  it.each([...long, '\u200B'.repeat(2), '\u200B'.repeat(3), 'a\u202E'.repeat(5), '&'.repeat(90)])(
    'is on the page to its end, however long its heading can be (no. %#)',
    async (beginning) => {
      const world = await worldShowing({ title: `${beginning} THE-END`, lines: [] })
      const { proposal } = await world.prepared(requester)

      for (const below of ['', '/approve']) {
        const { text } = await world.visitor(finance1).get(`/inbox/proposals/${proposal}${below}`)
        const main = text.slice(text.indexOf('<h1>'), text.indexOf('<section class="decide"'))
        expect([below, main.includes('THE-END')]).toEqual([below, true])
      }
    },
  )
})

describe('a line break', () => {
  it('threat T17 is a mark in a heading, a target and a button, where it would begin a line that nobody wrote', async () => {
    const world = await worldShowing({ title: 'Refund\nPaid back already', lines: [] })
    const { proposal } = await world.prepared(requester)

    const { text } = await world.visitor(finance1).get(`/inbox/proposals/${proposal}/approve`)

    const mark = '<span class="mark" title="line feed">U+000A</span>'
    expect(text).toContain(`<h1><bdi class="text">Refund${mark}Paid back already</bdi></h1>`)
    expect(text).toMatch(/<button class="primary">Approve <bdi class="text">Refund<span class="mark"/)
    expect(text).toContain('Contains what cannot be seen: U+000A, line feed.')
  })

  it('is one in a note alone, however long the text is', () => {
    const long = `${'x'.repeat(4_000)}\n${'y'.repeat(4_000)}`
    const rows = (as: 'party' | 'note'): string =>
      fieldRows([{ label: 'It', shown: { as, text: long } }], 'UTC')
        .map((row) => row.render().toString())
        .join('')

    expect([rows('note').includes('<br>'), rows('note').includes('U+000A')]).toEqual([true, false])
    expect([rows('party').includes('<br>'), rows('party').includes('U+000A')]).toEqual([false, true])
  })
})

describe('the rows of a preview', () => {
  const deep = Array.from({ length: 40 }).reduce<JsonValue>((inner) => ({ [`level${'l'.repeat(30)}`]: inner }), {
    text: 'x'.repeat(9_000),
  })
  const key = 'k'.repeat(30_000)
  it.each<[string, JsonValue, string]>([
    ['fields within fields', deep, 'xxx'],
    ['a name that is longer than a page', { [key]: { a: 'EXTRA', b: 'x'.repeat(9_000) } }, 'EXTRA'],
    ['an identifier that is none', { id: { before: 'b'.repeat(9_000), after: `${'a'.repeat(9_000)}EXTRA` } }, 'EXTRA'],
  ])('are small, whatever is in them: %s', (_, preview, last) => {
    const all = fieldRows(previewForm(null, preview).fields, 'UTC')
    const rows = all.map((row) => row.render().toString())

    expect(Math.max(...rows.map((row) => Buffer.byteLength(row)))).toBeLessThan(4_500)
    expect(all.filter(({ bytes }, index) => Buffer.byteLength(rows[index] ?? '') > bytes)).toEqual([])
    expect(rows.join('')).toContain(last)
    const [name] = Object.keys(typeof preview === 'object' && preview !== null ? preview : {})
    const letters = rows
      .join('')
      .replaceAll(/<[^>]*>/g, '')
      .toLowerCase()
    expect([...(name ?? '')].filter((letter) => !letters.includes(letter))).toEqual([])
  })

  it('are pieces that are the text again, whatever it is', () => {
    for (const text of [
      '',
      'a',
      'é👩‍👩‍👧‍👦'.repeat(500),
      '\u202E<'.repeat(500),
      `a${'\u0301'.repeat(3_000)}`,
      'a b\n'.repeat(900),
    ]) {
      const again = [...pieces(text, 300, { lines: true })]
        .flatMap(({ parts }) => parts)
        .map((part) => {
          if (part.kind === 'plain') return part.text
          return part.kind === 'break' ? '\n' : String.fromCodePoint(Number.parseInt(part.code.slice(2), 16))
        })
        .join('')
      expect(again).toBe(text)
    }
  })
})
