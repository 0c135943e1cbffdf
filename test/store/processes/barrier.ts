// The child's side of a start that several processes make together.
import process from 'node:process'
import { createInterface } from 'node:readline'

/** Says that this process is ready and waits until all are let go. */
export async function startBarrier(): Promise<void> {
  const input = createInterface({ input: process.stdin })
  process.stdout.write('ready\n')
  await input[Symbol.asyncIterator]().next()
  input.close()
  process.stdin.destroy()
}
