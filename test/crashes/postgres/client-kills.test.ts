// Processes on PostgreSQL that are killed around COMMIT: what they left in doubt is found out, and nothing is lost or repeated.
import { describe, expect, it, onTestFinished } from 'vitest'
import { serverUrl } from '../../store/postgres-fixture.ts'
import { startBooks } from '../books.ts'
import { killClients, MOMENTS } from './client-kills.ts'

describe('processes that work on PostgreSQL', () => {
  it('finding F7: and are killed around COMMIT leave nothing in doubt for good, and lose nothing', {
    timeout: 600_000,
  }, async () => {
    const books = await startBooks()
    onTestFinished(() => books.stop())

    const run = await killClients({ url: await serverUrl(), schema: 'client kills', books, seed: 3, kills: 8 })

    expect(run.faults).toEqual([])
    const kills = [...run.kills.values()].reduce((sum, times) => sum + times, 0)
    // With fewer in the window between COMMIT and its answer the run would have shown nothing.
    expect(run.inDoubt / kills).toBeGreaterThanOrEqual(0.3)
    expect(new Set(run.kills.keys())).toEqual(new Set(MOMENTS))
    expect([run.committed > 0, run.lost > 0, run.acknowledged > 0]).toEqual([true, true, true])
  })
})
