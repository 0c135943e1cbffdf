// Crashes at named points: around every commit and every call of the host, keys and files, many times on every durable store.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../../src/runtime/ports.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { openPostgres } from '../../store/postgres-fixture.ts'
import { CRASH_POINTS, pointName } from './crash-points.ts'
import { type PointCampaign, pointCampaign } from './point-campaign.ts'

const ITERATIONS = 4
const TIME_LIMIT_MS = 600_000

type Time = Parameters<PointCampaign['open']>[0]

const STORES = {
  async SQLite(clock: Time): Promise<Store> {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-points-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    return sqliteStore(join(folder, 'store.db'), { clock })
  },
  async PostgreSQL(clock: Time): Promise<Store> {
    const opened = await openPostgres({ clock })
    onTestFinished(async () => opened.close())
    return opened.store
  },
}

describe('the crash points', () => {
  it('are more than thirty, each with a name of its own', () => {
    expect(CRASH_POINTS.length).toBeGreaterThan(30)
    expect(new Set(CRASH_POINTS.map(pointName)).size).toBe(CRASH_POINTS.length)
  })

  it.each(['SQLite', 'PostgreSQL'] as const)(
    'on %s are all reached, time after time, and no refund is paid twice, forgotten or left in doubt',
    async (name) => {
      const open = STORES[name]

      const { broken, reached, asked } = await pointCampaign({ open, iterations: ITERATIONS, seed: 1, isTwice: false })

      expect(broken).toEqual([])
      expect(Object.fromEntries(reached)).toEqual(
        Object.fromEntries(CRASH_POINTS.map((point) => [pointName(point), ITERATIONS])),
      )
      expect(asked).toBe(0)
    },
    TIME_LIMIT_MS,
  )
})
