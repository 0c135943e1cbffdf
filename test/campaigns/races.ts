// A long campaign of the races between processes, run by hand, on a SQLite file or on PostgreSQL.
import { parseArgs } from 'node:util'
import { race } from '../crashes/race.ts'
import { newServer } from '../postgres/server.ts'

const { values } = parseArgs({
  options: {
    sqlite: { type: 'string', default: '0' },
    postgres: { type: 'string', default: '0' },
    processes: { type: 'string', default: '6' },
  },
})

const entrants = Array.from({ length: Number(values.processes) }, () => ({}))

if (Number(values.sqlite) > 0) await told('SQLite file', null, Number(values.sqlite))
if (Number(values.postgres) > 0) {
  const server = await newServer('18')
  await told('PostgreSQL', server.url, Number(values.postgres))
  await server.remove()
}

async function told(name: string, url: string | null, effects: number): Promise<void> {
  const beganAt = Date.now()
  const run = await race({ url, schema: 'race', entrants, effects })
  const seconds = Math.round((Date.now() - beganAt) / 1_000)
  const line = JSON.stringify({ ...run, told: Object.fromEntries(run.told) })
  process.stdout.write(`${name}: ${entrants.length} processes, ${effects} effects in ${seconds} s: ${line}\n`)
  if (run.faults.length > 0 || run.calls !== effects) process.exitCode = 1
}
