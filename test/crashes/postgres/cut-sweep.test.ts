// A client of PostgreSQL whose messages are cut, torn, silenced and split: it loses nothing, and does nothing twice.
import { describe, expect, it } from 'vitest'
import { migratePostgres } from '../../../src/postgres.ts'
import { FATES } from '../../postgres/cutting-proxy.ts'
import { serverUrl } from '../../store/postgres-fixture.ts'
import { CutSweep } from './cut-sweep.ts'

describe('a client of PostgreSQL', () => {
  it('finding F6: whose messages are cut, torn, left without an answer or split loses nothing, and does nothing twice', {
    timeout: 600_000,
  }, async () => {
    const url = await serverUrl()
    await migratePostgres({ url, schema: 'cut sweep' })
    const sweep = new CutSweep(url, 'cut sweep')
    const { messages, commits } = await sweep.listenTo('paid')

    for (const [place, interference] of FATES.entries()) {
      // Among the commits are the admission and what comes after the call.
      for (const part of [0.55, 0.85]) {
        await sweep.carryOut({ life: 'paid', interference, at: 'commit', nth: Math.ceil(part * commits) })
      }
      const nth = Math.ceil(((place + 0.5) / FATES.length) * messages)
      await sweep.carryOut({ life: 'paid', interference, at: 'message', nth })
    }
    await sweep.carryOut({ life: 'doubted', interference: 'split', at: 'message', nth: 1 })
    const { broken, reached } = await sweep.end()

    expect(broken).toEqual([])
    const each = FATES.flatMap((fate) => [
      [`${fate} at commit`, 2],
      [`${fate} at message`, 1],
    ])
    expect(Object.fromEntries(reached)).toEqual(Object.fromEntries([...each, ['split at message', 1]]))
  })
})
