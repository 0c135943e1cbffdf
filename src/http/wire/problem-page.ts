// The page behind the `type` of a problem: what it means and what to do, for whoever opens the link.
import { PROBLEMS, type ProblemCode } from './http-refusals.ts'

/** The page as HTML without script, or null if no problem has this code. */
export function problemPage(code: string): string | null {
  if (!Object.hasOwn(PROBLEMS, code)) return null
  const { http, title } = PROBLEMS[code as ProblemCode]
  return `<!doctype html><title>${title}</title><p>${http}`
}
