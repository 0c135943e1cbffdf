// A process that makes and releases guarded calls as it is told, on a database that others use too, and writes down every call.
import { appendFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { ActionRunner } from '../../../src/runtime/calls/action-runner.ts'
import { openShared } from './shared-store.ts'

const [place = '', calls = '', tenant = 'default'] = process.argv.slice(2)
const store = await openShared(place)
const runner = new ActionRunner({ store, tenant })

async function obey(kind: string, name: string, key: string): Promise<string> {
  if (kind === 'release') {
    await runner.releaseUnstarted(key)
    return 'released'
  }
  const operation = (): string => {
    appendFileSync(calls, `${key}\n`)
    return 'done'
  }
  const { replayed, status } = await runner.execute(name, operation, { request: { key }, idempotencyKey: key })
  return replayed ? `replayed ${status}` : status
}

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [kind = '', name = '', key = ''] = line.split(' ')
  const told = await obey(kind, name, key).catch((error: unknown) => {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  })
  process.stdout.write(`${told}\n`)
}
await store.close()
