// The errors of the command line itself: called wrongly, or unable to load what it needs.

/** Arguments or environment that a command cannot work with; nothing was done. One sentence, without a secret in it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'usage'
}

/** A file, module, database or server that cannot be loaded, opened or reached. One sentence, without a secret in it. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  readonly code = 'unavailable'
}
