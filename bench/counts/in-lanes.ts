// So many units of work, so many at a time.

/** Does `units` of them in `lanes` that run side by side. */
export async function inLanes(units: number, lanes: number, act: () => Promise<unknown>): Promise<void> {
  let left = units
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await act()
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
