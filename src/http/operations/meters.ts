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

/** Takes figures, and shows them to whoever may see them. */
export interface Meters {
  request(figure: RequestFigure): void
  /** The answer of `/metrics`. @throws Unauthenticated for who may not see them. */
  answer(request: Request): Promise<Response>
}
