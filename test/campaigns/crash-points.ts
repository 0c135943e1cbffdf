// The long form of the named crash points, run by hand: many times on SQLite and PostgreSQL, also with a second crash.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { postgresStore } from '../../src/postgres.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { type PointCampaign, pointCampaign } from '../crashes/points/point-campaign.ts'
import { newServer } from '../postgres/server.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** Iterations of every point on each store; 0 for none. */
    sqlite: { type: 'string', default: '0' },
    postgres: { type: 'string', default: '0' },
    /** Whoever goes on after a crash ends too, at another point of the same life that is drawn from the seed. */
    twice: { type: 'boolean', default: false },
  },
})

/** So many in one database: a campaign reads all of it in the end. */
const ITERATIONS_AT_ONCE = 20
const folder = mkdtempSync(join(tmpdir(), 'countersign-points-'))
let isBroken = false

if (Number(values.sqlite) > 0) {
  await carryOut('SQLite', Number(values.sqlite), async (clock, part) => {
    return sqliteStore(join(folder, `${part}.db`), { clock })
  })
}
if (Number(values.postgres) > 0) {
  const server = await newServer('18')
  try {
    await carryOut('PostgreSQL', Number(values.postgres), async (clock, part) => {
      return postgresStore({ url: server.url, schema: `points_${part}`, clock })
    })
  } finally {
    await server.remove()
  }
}
rmSync(folder, { recursive: true })
if (isBroken) process.exitCode = 1

async function carryOut(
  name: string,
  iterations: number,
  open: (clock: Parameters<PointCampaign['open']>[0], part: number) => ReturnType<PointCampaign['open']>,
): Promise<void> {
  for (let part = 0; part * ITERATIONS_AT_ONCE < iterations; part++) {
    const beganAt = Date.now()
    const figures = await pointCampaign({
      open: async (clock) => open(clock, part),
      iterations: Math.min(ITERATIONS_AT_ONCE, iterations - part * ITERATIONS_AT_ONCE),
      seed: Number(values.seed) + part,
      isTwice: values.twice,
    })
    const seconds = Math.round((Date.now() - beganAt) / 1_000)
    process.stdout.write(`${name}, seed ${Number(values.seed) + part}, ${seconds} s\n`)
    process.stdout.write(`  ${figures.lines().join('\n  ')}\n`)
    if (figures.broken.length > 0) isBroken = true
  }
}
