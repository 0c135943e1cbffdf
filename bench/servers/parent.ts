// What a process of the bench says to whoever started it.
import { once } from 'node:events'
import process from 'node:process'

/** Answers questions until whoever asks is gone. */
export async function serveParent(ready: unknown, answer: (question: unknown) => unknown): Promise<void> {
  const reply = async ({ id, value }: { id: number; value: unknown }): Promise<void> => {
    process.send?.({ id, value: await answer(value) })
  }
  // What cannot be answered ends the process, and whoever asked sees that.
  process.on('message', (message: { id: number; value: unknown }) => {
    reply(message).catch((error: unknown) => {
      process.nextTick(() => {
        throw error
      })
    })
  })
  process.send?.({ id: 0, value: ready })
  await once(process, 'disconnect')
}

/** Milliseconds of processor time of this process so far, which neighbours change less than the time that passes. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
