// The exit codes of the command line: what a script may rely on, whatever the command.

/**
 * `good`: done, and nothing was found wrong. `failed`: a check, an outcome or a refusal says no. `unavailable`: something
 * could not be loaded, opened or reached, so that nothing is known. `usage`: the command was called wrongly, by its
 * arguments or by its environment; nothing was done. Spec: harness 6.
 */
export const EXIT = { good: 0, failed: 1, unavailable: 2, usage: 64 } as const

/** One of the four. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
