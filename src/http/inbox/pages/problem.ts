// A problem as a page: what a person sees where a program would get problem+json.
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import type { HttpProblem } from '../../wire/problem.ts'
import { PROBLEM_TEXTS } from '../../wire/problem-texts.ts'

/** What it means and what to do. Nothing of it is the caller's. */
export function problemPageOf(base: string, { status, body }: HttpProblem): Page {
  const { meaning, remedy } = PROBLEM_TEXTS[body.code]
  return {
    title: body.title,
    status,
    main: html`<h1>${body.title}</h1><p>${meaning}</p><p>${remedy}</p>
<p><a href="${base}/inbox">To the inbox</a></p><p class="quiet"><code>${body.code}</code> · request <code>${body.instance.slice(
      body.instance.lastIndexOf(':') + 1,
    )}</code></p>`,
  }
}
