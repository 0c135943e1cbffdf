// The access log: one line a request, of fields that can hold nothing private.
import type { Logger } from '../../runtime/ports.ts'

/** The whole list: the pattern and never the path, no query, no header, nobody's name. Spec: reliability T41. */
export interface AccessLine {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationMs: number
  readonly requestId: string
}

/** Writes the line. A logger that throws does not stand in the way of an answer. */
export function logAccess(logger: Logger, { method, route, status, durationMs, requestId }: AccessLine): void {
  try {
    logger.info({ method, route, status, durationMs: Math.round(durationMs * 1_000) / 1_000, requestId }, 'request')
  } catch {
    // The answer is on its way, and there is nobody else to tell.
  }
}
