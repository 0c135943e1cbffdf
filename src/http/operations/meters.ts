// The meters: what the figures of the service are taken from, whoever keeps them.

/** A request that was answered. Routes are patterns and outcomes are codes, so that their number is bounded. */
export interface RequestFigure {
  readonly method: string
  readonly route: string
  readonly status: number
  /** The operation of the route; null for what is none. */
  readonly operation: string | null
  /** The outcome, or the code of the refusal; null where there is neither. */
  readonly outcome: string | null
  readonly durationMs: number
}

/** Receives figures, and tells them as text. */
export interface Meters {
  request(figure: RequestFigure): void
  /** All figures in the text format of Prometheus, for whoever may read them. */
  readonly contentType: string
  text(): Promise<string>
  /** Whether this request may read them. */
  mayRead(request: Request): boolean
}
