// The entity tag of a proposal: its revision, as a strong tag.

/** Spec: http "Rules". */
export function etagOf(revision: number): string {
  return `"${revision}"`
}
