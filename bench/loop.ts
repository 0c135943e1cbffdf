// What is measured: something that does one unit of work at a time and answers for its effects.

/** A unit is a whole lifecycle, or what stands for one. */
export interface Loop {
  readonly run: () => Promise<void>
  /** @throws AssertionError unless every unit that ran had its effect exactly once, and nothing else had one */
  readonly assertOnce: () => Promise<void>
  readonly close: () => Promise<void>
}
