// PostgreSQL dies under load, by two signals, or sends everybody away: those who work on it go on where they were.
import { expect, it, onTestFinished } from 'vitest'
import { newServer } from '../../postgres/server.ts'
import { startBooks } from '../books.ts'
import { killServers, NEMESES } from './server-kills.ts'

it('finding F7: processes go on where they were when the server dies, is started again, or sends everybody away', {
  timeout: 600_000,
}, async () => {
  const [server, books] = await Promise.all([newServer('18'), startBooks()])
  onTestFinished(async () => {
    await books.stop()
    await server.remove()
  })

  const run = await killServers({ server, schema: 'servers', books, blows: NEMESES, jobsBetween: 3 })

  expect(run.faults).toEqual([])
  expect([...run.blows]).toEqual(NEMESES.map((nemesis) => [nemesis, 1]))
  // Callers heard of the blows, and were answered nevertheless.
  expect(run.felt).toBeGreaterThan(0)
  expect(run.acknowledged).toBeGreaterThan(3 * run.jobs)
})
