// A request of the inbox as its pages see it: who looks, where it is mounted, what time it is.
import type { Session } from '../../proposal/session.ts'
import type { ProposalRuntime } from '../../runtime/runtime.ts'
import type { Inbox, Viewer } from './inbox.ts'

/** A request by somebody who is signed in. */
export interface PageCall {
  readonly runtime: ProposalRuntime
  readonly inbox: Inbox
  readonly base: string
  readonly viewer: Viewer
  readonly session: Session
  /** Of the forms of the page. */
  readonly token: string
  readonly request: Request
  readonly query: URLSearchParams
  readonly now: number
  readonly param: (name: string) => string
}

/** The path of a proposal's page, or of something below it. */
export function proposalPath(base: string, ref: string, below = ''): string {
  return `${base}/inbox/proposals/${encodeURIComponent(ref)}${below}`
}
