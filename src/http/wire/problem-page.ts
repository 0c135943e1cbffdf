// The page behind the `type` of a problem: what it means and what to do, for whoever opens the link.
import { createHash } from 'node:crypto'
import { PROBLEMS, type ProblemCode } from './http-refusals.ts'
import { PROBLEM_TEXTS } from './problem-texts.ts'
import { securityHeaders } from './security-headers.ts'

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}:root{color-scheme:light dark}'
const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

/** The headers of the page: its one style is allowed by its digest. */
export const PROBLEM_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  ...securityHeaders({ 'style-src': STYLE_SOURCE }),
}

/** The page as HTML without script, or null if no problem has this code. Every word of it is ours. Spec: http "Rules". */
export function problemPage(code: string): string | null {
  if (!Object.hasOwn(PROBLEMS, code)) return null
  const { http, title } = PROBLEMS[code as ProblemCode]
  const { meaning, remedy } = PROBLEM_TEXTS[code as ProblemCode]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${code}</title>
<style>${STYLE}</style>
<main>
<h1>${escaped(title)}</h1>
<p><code>${code}</code>, HTTP status ${http}</p>
<h2>What it means</h2>
<p>${escaped(meaning)}</p>
<h2>What to do</h2>
<p>${escaped(remedy)}</p>
</main>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
