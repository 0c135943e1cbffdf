// A long campaign of the model, run by hand: `node test/campaigns/model.ts --memory 100000 --twins 5000 --postgres 500`.
import { parseArgs } from 'node:util'
import { memoryCampaign, twinCampaign } from '../model/campaign.ts'
import { postgresGround } from '../model/postgres-ground.ts'
import type { Tally } from '../model/run.ts'
import { sqliteGround } from '../model/sqlite-ground.ts'
import { newServer } from '../postgres/server.ts'

const { values } = parseArgs({
  options: {
    memory: { type: 'string', default: '0' },
    twins: { type: 'string', default: '0' },
    postgres: { type: 'string', default: '0' },
    seed: { type: 'string' },
    path: { type: 'string' },
    'replay-path': { type: 'string' },
  },
})

const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const repeated = {
  seed,
  ...(values.path === undefined ? {} : { path: values.path }),
  ...(values['replay-path'] === undefined ? {} : { replayPath: values['replay-path'] }),
}

await carryOut('memory', Number(values.memory), memoryCampaign)
await carryOut('twins', Number(values.twins), (options) => twinCampaign(options, [sqliteGround]))
await carryOut('PostgreSQL', Number(values.postgres), async (options) => {
  const server = await newServer('18')
  try {
    return await twinCampaign(options, [sqliteGround, (time) => postgresGround(server.url, 'model', time)])
  } finally {
    await server.remove()
  }
})

async function carryOut(
  name: string,
  runs: number,
  campaign: (options: typeof repeated & { readonly runs: number }) => Promise<Tally>,
): Promise<void> {
  if (runs === 0) return
  const beganAt = Date.now()
  const tally = await campaign({ runs, ...repeated })
  const seconds = Math.round((Date.now() - beganAt) / 1_000)
  process.stdout.write(`${name}: ${runs} runs from seed ${seed} in ${seconds} s, nothing broken\n`)
  for (const [what, count] of [...tally.counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(`  ${what}: ${count}\n`)
}
