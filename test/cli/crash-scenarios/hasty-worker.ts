// A worker with the other bug: it notes that the refund is made, and then makes it.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BusinessClient, type CrashScenario } from 'countersign/testing'
import { EFFECT, refundTarget, setupOf } from './refund-target.ts'

export const crashScenario: CrashScenario = {
  open: refundTarget,
  async work({ setup, steps }) {
    const { url, folder } = setupOf(setup)
    const note = join(folder, 'done.txt')
    const isDone = await readFile(note, 'utf8').catch(() => null)
    if (isDone !== null) return { [EFFECT]: 'done' }
    await steps.step('note', async () => writeFile(note, 'done'))
    const business = new BusinessClient(url)
    const { orderVersion } = await business.readOrder('ORD-1001')
    await business.refund({
      orderReference: 'ORD-1001',
      amount: { amount: '10.00', currency: 'EUR' },
      precondition: `order-version:${orderVersion}`,
      idempotencyKey: 'job-1',
    })
    return { [EFFECT]: 'done' }
  },
}
