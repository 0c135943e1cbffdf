// Medians and their spread, for figures that swing with the machine's neighbours.

/** The middle of an odd number of figures. */
export function median(figures: readonly number[]): number {
  return percentile(figures, 50)
}

/** The figure below which that share of them lies, in percent. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? Number.NaN
}

/** Half the distance between the smallest and the largest. */
export function spread(figures: readonly number[]): number {
  return (Math.max(...figures) - Math.min(...figures)) / 2
}

/** The distance between the quartiles as a share of the median: what one outlier does not move. */
export function relativeSpread(figures: readonly number[]): number {
  return (percentile(figures, 75) - percentile(figures, 25)) / median(figures)
}
