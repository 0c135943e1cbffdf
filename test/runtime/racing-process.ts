// A process that executes whatever it is told to, on a database that others use too, and writes down every call that it makes.
import { appendFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { Refusal } from '../../src/proposal/errors.ts'
import { localKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { openShared } from '../calls/processes/shared-store.ts'
import { TestAction } from './refund.ts'
import { requester } from './sessions.ts'

const [place = '', keys = '', calls = ''] = process.argv.slice(2)
const action = new TestAction({
  now: () => Date.now(),
  methods: {
    execute: async ({ semanticEffectReference, attempt, context }) => {
      appendFileSync(calls, `${semanticEffectReference} ${attempt} ${context.proposal} ${process.pid}\n`)
      return { status: 'accepted', externalReference: `rf-${process.pid}` }
    },
  },
})
const store = await openShared(place)
const runtime = await ProposalRuntime.open({ store, keyring: localKeyring(keys), actions: [action] })

process.stdout.write('ready\n')
for await (const ref of createInterface({ input: process.stdin })) {
  const told = await runtime.execute(requester, ref).then(
    ({ outcome }) => outcome,
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  )
  process.stdout.write(`${told}\n`)
}
await store.close()
