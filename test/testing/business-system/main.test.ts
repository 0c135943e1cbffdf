// The process of the business system: what it ends with, and what it lives through.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import SqliteDatabase from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { refundOrder, startForTest, temporaryFolder } from './fixture.ts'

describe('a business system ends', () => {
  it('when it is stopped; to stop or kill it twice, or once more, does nothing', async () => {
    const { system } = await startForTest()

    await Promise.all([system.stop(), system.stop(), system.kill()])

    expect(isAlive(system.processId)).toBe(false)
    await system.stop()
    await system.kill()
  })

  it('leaving nothing in its log that is not in its file', async () => {
    const { system, client } = await startForTest()
    await client.refund(refundOrder())

    await system.stop()

    expect(readdirSync(dirname(system.file))).toEqual(['business.db'])
    const database = new SqliteDatabase(system.file)
    expect(database.prepare('SELECT count(*) AS refunds FROM refunds').get()).toEqual({ refunds: 1 })
    database.close()
  })

  it('with its parent, when that is killed', async () => {
    const { parent, processId, url } = await startUnderParent('stay')
    expect((await fetch(`${url}/orders/ORD-1001`)).status).toBe(200)

    parent.kill('SIGKILL')

    await untilGone(processId)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  it('with its parent, which it does not keep from ending', async () => {
    const { parent, processId } = await startUnderParent('end')

    const [exitCode] = await parent.ended

    expect(exitCode).toBe(0)
    await untilGone(processId)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'not by a %s to its group, which is for its parent to judge',
    async (signal) => {
      const { system, client } = await startForTest()

      process.kill(system.processId, signal)

      expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 1 })
      expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked' })
    },
  )
})

it('a failure of the business system itself is answered without a stack, and nothing is booked', async () => {
  const { system, client } = await startForTest()
  const other = new SqliteDatabase(system.file)
  other.exec('ALTER TABLE keys RENAME TO lost')

  await expect(client.refund(refundOrder())).rejects.toMatchObject({
    status: 500,
    code: 'internal_error',
    message: 'The business system failed; it is not known how far it got',
  })
  other.exec('ALTER TABLE lost RENAME TO keys')
  other.close()

  expect(await system.effects()).toEqual([])
  expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked' })
})

interface Parent {
  readonly ended: Promise<unknown[]>
  readonly kill: ChildProcess['kill']
}

async function startUnderParent(
  then: 'stay' | 'end',
): Promise<{ readonly parent: Parent; readonly processId: number; readonly url: string }> {
  const script = fileURLToPath(new URL('parent.ts', import.meta.url))
  const child = spawn(process.execPath, [script, join(temporaryFolder(), 'business.db'), then], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const ended = once(child, 'exit')
  const printed: unknown[] = await once(child.stdout, 'data')
  const started = z.strictObject({ processId: z.int(), url: z.string() }).parse(JSON.parse(String(printed[0])))
  return { ...started, parent: { ended, kill: (signal) => child.kill(signal) } }
}

async function untilGone(processId: number): Promise<void> {
  while (isAlive(processId)) await setTimeout(10)
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}
