// Serves like "countersign serve", on a clock that is five minutes ahead: as if it had been started later.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { serve } from '../../src/cli/serve/serve.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { LATER } from './later.ts'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    json: { type: 'boolean' },
    port: { type: 'string' },
    dev: { type: 'boolean' },
    actions: { type: 'string' },
  },
})
await serve(values, { ...systemClock, now: () => systemClock.now() + LATER.aheadMs })
