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
    ['alone', 1, 5],
    ['among 32', 32, 0.25],
  ])('on SQLite %s has its five durable steps in few commits', async (_, inFlight, commits) => {
    const found = await sqliteCounts(newFile(), inFlight, unitsOf(inFlight))

    expect(found.commits).toBeLessThanOrEqual(commits)
    expect(found.statements).toBeLessThanOrEqual(135)
  })

  // How many share a commit depends on how long a commit takes.
  it.each([
    ['alone', 1, 5],
    ['among 32', 32, 2],
  ])('on PostgreSQL %s has its five durable steps in few commits', async (_, inFlight, commits) => {
    const found = await postgresCounts(await serverUrl(), freshSchema(), inFlight, unitsOf(inFlight))

    expect(found.commits).toBeLessThanOrEqual(commits)
    if (inFlight > 1) return
    expect(found.statements).toBeLessThanOrEqual(142)
    expect(found.roundTrips).toBeLessThanOrEqual(76)
  })
})
