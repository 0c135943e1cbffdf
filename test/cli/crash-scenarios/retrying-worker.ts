// A worker with a bug: when it does not know whether the refund was made, it makes it again under a new key.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BusinessClient, type CrashScenario } from 'countersign/testing'
import { EFFECT, refundTarget, setupOf } from './refund-target.ts'

export const crashScenario: CrashScenario = {
  open: refundTarget,
  async work({ setup, run, steps }) {
    const { url, folder } = setupOf(setup)
    const note = join(folder, 'done.txt')
    const isDone = await readFile(note, 'utf8').catch(() => null)
    if (isDone !== null) return { [EFFECT]: 'done' }
    const business = new BusinessClient(url)
    const { orderVersion } = await business.readOrder('ORD-1001')
    await steps.step('refund', async () =>
      business.refund({
        orderReference: 'ORD-1001',
        amount: { amount: '10.00', currency: 'EUR' },
        precondition: `order-version:${orderVersion}`,
        idempotencyKey: `job-1-${run}`,
      }),
    )
    await steps.step('note', async () => writeFile(note, 'done'))
    return { [EFFECT]: 'done' }
  },
}
