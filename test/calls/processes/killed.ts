// A process that makes one guarded call and is killed at a step of it, as a power cut would.
import { appendFileSync } from 'node:fs'
import process from 'node:process'
import { VerificationResult } from '../../../src/effect/answer.ts'
import { ActionRunner } from '../../../src/runtime/calls/action-runner.ts'
import { commitStep } from '../../../src/testing/commit-faults.ts'
import { InterceptedStore } from '../../../src/testing/intercepted-store.ts'
import { openShared } from './shared-store.ts'

const [place = '', calls = '', charges = '', killedAt = ''] = process.argv.slice(2)

function pass(point: string): void {
  if (point === killedAt) process.kill(process.pid, 'SIGKILL')
}

const store = new InterceptedStore(await openShared(place), async (_name, call, change) => {
  const step = change === null ? 'read' : commitStep(change)
  pass(`before ${step}`)
  const answer = await call()
  pass(`after ${step}`)
  return answer
})
const runner = new ActionRunner({ store })
await runner.execute(
  'charge',
  ({ providerReference }) => {
    appendFileSync(calls, `${providerReference}\n`)
    pass('in the call')
    appendFileSync(charges, `${providerReference}\n`)
    pass('after the charge')
    return 'charged'
  },
  {
    request: { amountCents: 2_500 },
    idempotencyKey: 'order-123',
    providerReference: 'order-123',
    ...(killedAt === 'in the verifier'
      ? {
          verifier: () => {
            pass('in the verifier')
            return VerificationResult.unknown()
          },
        }
      : {}),
  },
)
process.stdout.write('done\n')
