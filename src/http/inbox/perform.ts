// Performs an act: from the form to the operation, and back by a redirect, so that no refresh sends anything again.
import { Refusal } from '../../proposal/errors.ts'
import { principalName } from '../../proposal/principal.ts'
import { parseSession } from '../../proposal/session.ts'
import { CrossSiteRequest, HTTP_REFUSALS, PROBLEMS } from '../wire/http-refusals.ts'
import type { InboxAct } from './acts.ts'
import { type PageCall, proposalPath } from './page-call.ts'
import { readForm } from './session/form-body.ts'
import { isFormToken, proofOf } from './session/form-secret.ts'
import { isSaid, type Said } from './words/said-words.ts'

const REVISION = /^(?:0|[1-9]\d{0,14})$/

/**
 * Does it if nothing has changed since the page was opened, and says on the page of the proposal what became of it. Where
 * something has, nothing is done and the page shows what; an act that was already done by the same person is told as that,
 * so that a second click, the back button and a refresh are harmless. Spec: http "The inbox page", case C042.
 * @throws the refusals that are about the request itself, NotFound, and what is no refusal
 */
export async function perform(call: PageCall, act: InboxAct): Promise<Response> {
  const names = ['token', 'revision', ...act.fields]
  const form: Readonly<Record<string, string>> = await readForm(call.request, names)
  demandToken(call, form['token'] ?? '')
  const ref = call.param('ref')
  const seen = REVISION.test(form['revision'] ?? '') ? Number(form['revision']) : -1
  const said = await outcomeOf(call, act, { ref, seen, field: (name) => form[name] ?? '' })
  return told(call, ref, { said, seen })
}

/** @throws CrossSiteRequest unless the form is one of this browser's, opened by this very caller */
export function demandToken({ viewer, session }: PageCall, token: string): void {
  if (viewer.isNew || !isFormToken(token, viewer.secret, parseSession(session))) throw new CrossSiteRequest()
}

/** A redirect that a browser follows with GET. */
export function seeOther(path: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { Location: path, ...headers } })
}

interface Sent {
  readonly ref: string
  readonly seen: number
  readonly field: (name: string) => string
}

async function outcomeOf(call: PageCall, act: InboxAct, { ref, seen, field }: Sent): Promise<Said> {
  const { runtime, session, param } = call
  try {
    return await act.run({ runtime, session, ref, ifRevision: seen, field, param })
  } catch (error) {
    if (!(error instanceof Refusal) || !isTold(error.code)) throw error
    const isChanged = error.code === 'revision_mismatch'
    return isChanged && (await isOwnRepeat(call, act, { ref, seen, field })) ? 'already' : error.code
  }
}

// What is unknown or cannot be answered now is a page of its own; everything else is said on the proposal's.
function isTold(code: string): code is Said & keyof typeof PROBLEMS {
  if (!isSaid(code) || !Object.hasOwn(PROBLEMS, code) || Object.hasOwn(HTTP_REFUSALS, code)) return false
  return code !== 'not_found' && PROBLEMS[code as keyof typeof PROBLEMS].http < 500
}

async function isOwnRepeat({ runtime, session }: PageCall, act: InboxAct, { ref, seen }: Sent): Promise<boolean> {
  const me = principalName(parseSession(session).principal)
  const { receipts } = await runtime.receipts(session, ref)
  const since = receipts.filter(({ sequence }) => sequence > seen + 1)
  return since.some(({ body }) => body !== null && body.type === act.receipt && body.participant === me)
}

function told({ base, viewer }: PageCall, ref: string, { said, seen }: { said: Said; seen: number }): Response {
  const query = new URLSearchParams({ said, proof: proofOf(viewer.secret, [ref, said]) })
  if (said === 'revision_mismatch') query.set('since', String(Math.max(0, seen)))
  return seeOther(`${proposalPath(base, ref)}?${query.toString()}`)
}
