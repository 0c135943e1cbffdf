// HTML as a tagged template: whatever is put in is text, an attribute is quoted, and a link leads to this app.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Attributes whose value the browser goes to or loads. */
const URL_ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'src', 'action', 'formaction'])
/** A path of this app, a query or a fragment; never a scheme and never the start of another host. */
const LOCAL = /^(?:\/(?![/\\])|\?|#)/
const OPEN_ATTRIBUTE = /\s([a-z-]+)="[^"]*$/

/** A piece of a page. It is made by {@link html} alone, so that nothing gets into one unescaped. */
export class Html {
  readonly #text: string
  private constructor(text: string) {
    this.#text = text
  }

  static written(strings: readonly string[], values: readonly Content[]): Html {
    const parts = strings.map((literal, index) => {
      if (index === 0) return literal
      return textOf(values[index - 1] ?? null, strings.slice(0, index).join(''), literal) + literal
    })
    return new Html(parts.join(''))
  }

  toString(): string {
    return this.#text
  }
}

/** What can stand in a template. Null leaves nothing behind. */
export type Content = string | number | Html | null | readonly Content[]

/**
 * A piece of a page. Text is escaped; an attribute must stand in double quotes; `href`, `src` and `action` take a path of
 * this app and nothing else. Hono's own helper escapes as well, and lets `javascript:` and unquoted attributes pass.
 * Spec: reliability F16, T18.
 * @throws TypeError for a template that breaks these rules, or a link that leads elsewhere
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return Html.written(strings, values)
}

/** Nothing. */
export const NOTHING: Html = html``

function textOf(content: Content, before: string, after: string): string {
  if (before.lastIndexOf('<') <= before.lastIndexOf('>')) return inText(content)
  const attribute = OPEN_ATTRIBUTE.exec(before)?.[1]
  if (attribute === undefined) throw new TypeError('Only a quoted attribute or text takes a value.')
  if (typeof content !== 'string' && typeof content !== 'number') throw new TypeError('An attribute takes text.')
  const text = String(content)
  const start = before.endsWith('="') ? text + after : before.slice(before.lastIndexOf('="') + 2)
  if (URL_ATTRIBUTES.has(attribute) && !LOCAL.test(start)) throw new TypeError(`"${attribute}" leads out of the app.`)
  return escaped(text)
}

function inText(content: Content): string {
  if (content === null) return ''
  if (content instanceof Html) return content.toString()
  if (typeof content === 'object') return content.map(inText).join('')
  return escaped(String(content))
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
