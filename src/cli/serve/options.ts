// The options of `serve`, and what holds where they say nothing.

/** What `serve` is told on its command line, as text. */
export interface ServeOptions {
  readonly actions?: string
  readonly db?: string
  readonly witness?: string
  readonly host?: string
  readonly port?: string
  readonly dev?: boolean
  readonly expose?: boolean
  readonly worker?: boolean
  readonly stopLimit?: string
  readonly json?: boolean
}

export const HOST_DEFAULT = '127.0.0.1'
export const PORT_DEFAULT = 4_000
/** Longer than the limit of a call of an executor that sets none of its own, so that it can end by itself. */
export const STOP_LIMIT_SECONDS_DEFAULT = 35
