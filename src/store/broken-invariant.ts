// A broken invariant: a change that no correct runtime makes. It is a bug, so nothing is stored and nothing is retried.

/**
 * Thrown by a store when a change contradicts itself or what is stored in a way that no race explains, such as a status
 * without its receipt. Deliberately no refusal: there is nothing that a caller could do about it. Spec: lifecycle 9.
 */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant'
}

/** Stops the change unless the condition holds. */
export function invariant(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new BrokenInvariant(rule)
}
