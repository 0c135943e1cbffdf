// What a lifecycle costs in commits, statements and round trips: counts do not swing with the machine, so they are a gate.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { postgresCounts } from '../../bench/counts/postgres-counts.ts'
import { sqliteCounts } from '../../bench/counts/sqlite-counts.ts'
import { freshSchema, serverUrl } from '../store/postgres-fixture.ts'

/** Every lane does some, and a few tell as much as many. */
const unitsOf = (inFlight: number): number => Math.max(inFlight, 8)

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-counts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'counted.db')
}

describe('performance: a lifecycle', () => {
  it.each([
    [1, 5],
    [32, 5],
  ])('on SQLite at %i in flight has its five durable steps in %i commits', async (inFlight, commits) => {
    const found = await sqliteCounts(newFile(), inFlight, unitsOf(inFlight))

    expect(found.commits).toBe(commits)
    expect(found.statements).toBeLessThanOrEqual(119)
  })

  it.each([
    [1, 5],
    [32, 5],
  ])('on PostgreSQL at %i in flight has its five durable steps in %i commits', async (inFlight, commits) => {
    const found = await postgresCounts(await serverUrl(), freshSchema(), inFlight, unitsOf(inFlight))

    expect(found.commits).toBe(commits)
    expect(found.statements).toBeLessThanOrEqual(127)
    expect(found.roundTrips).toBeLessThanOrEqual(191)
  })
})
