// The target of the crash scenarios: a business system in its own process, and how often a refund of one order stands in it.
import { join } from 'node:path'
import { type CrashTarget, startBusinessSystem } from 'countersign/testing'
import { z } from 'zod'

export const START = Date.UTC(2030, 0, 1)
export const EFFECT = 'refund of ORD-1001'

const setup = z.strictObject({ url: z.string(), folder: z.string() })

/** What the worker is handed. */
export function setupOf(value: unknown): z.output<typeof setup> {
  return setup.parse(value)
}

/** Its time stands still after everything that the worker's clock shows, so that no effect is older than its attempt. */
export async function refundTarget(folder: string): Promise<CrashTarget> {
  const business = await startBusinessSystem({ file: join(folder, 'business.db'), now: START + 24 * 3_600_000 })
  return {
    setup: { url: business.url, folder },
    intended: [EFFECT],
    async effects() {
      const counts = (await business.effects()).map(({ count }) => count)
      return { [EFFECT]: counts.reduce((sum, count) => sum + count, 0) }
    },
    close: async () => business.stop(),
  }
}
