// A long campaign of the crash proofs on PostgreSQL, run by hand: killed clients, killed servers, messages that are cut.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { type Books, startBooks } from '../crashes/books.ts'
import { killClients } from '../crashes/postgres/client-kills.ts'
import { CutSweep } from '../crashes/postgres/cut-sweep.ts'
import { killServers, NEMESES } from '../crashes/postgres/server-kills.ts'
import { LIVES, type LifeName } from '../crashes/script.ts'
import { FATES } from '../postgres/cutting-proxy.ts'
import { newServer } from '../postgres/server.ts'
import { migratePostgres } from '../../src/postgres.ts'

const { values } = parseArgs({
  options: {
    /** How many processes are killed, and how often the server is struck. */
    clients: { type: 'string', default: '0' },
    servers: { type: 'string', default: '0' },
    /** Every how manieth message of a life is interfered with, in each of the ways; 0 for none. */
    'cuts-every': { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
})

const [seed, kills, strikes] = [Number(values.seed), Number(values.clients), Number(values.servers)]
const every = Number(values['cuts-every'])
const server = await newServer('18')
const { url } = server
try {
  if (kills > 0) {
    await withBooks(async (books) => {
      const run = await killClients({ url, schema: 'clients', books, seed, kills })
      told('client kills', run, run.faults.length > 0 || run.inDoubt < 0.3 * kills)
    })
  }
  if (strikes > 0) {
    await withBooks(async (books) => {
      const blows = Array.from({ length: strikes }, (_, at) => NEMESES[at % NEMESES.length] ?? 'immediate')
      const run = await killServers({ server, schema: 'servers', books, blows, jobsBetween: 4 })
      told('server kills', run, run.faults.length > 0)
    })
  }
  if (every > 0) await cutEvery()
} finally {
  await server.remove()
}

async function withBooks(run: (books: Books) => Promise<void>): Promise<void> {
  const books = await startBooks()
  try {
    await run(books)
  } finally {
    await books.stop()
  }
}

async function cutEvery(): Promise<void> {
  await migratePostgres({ url, schema: 'cuts' })
  const sweep = new CutSweep(url, 'cuts')
  for (const life of Object.keys(LIVES) as LifeName[]) {
    const { messages } = await sweep.listenTo(life)
    for (let nth = 1 + (seed % every); nth <= messages; nth += every) {
      for (const interference of FATES) await sweep.carryOut({ life, interference, at: 'message', nth })
    }
    await sweep.carryOut({ life, interference: 'split', at: 'message', nth: 1 })
  }
  const figures = await sweep.end()
  process.stdout.write(`cuts, ${Math.round(process.uptime())} s after the start\n${figures.lines().join('\n')}\n`)
  if (figures.broken.length > 0) process.exitCode = 1
}

function told(name: string, run: object, isBroken: boolean): void {
  const line = JSON.stringify(run, (_key, value: unknown): unknown =>
    value instanceof Map ? Object.fromEntries(value) : value,
  )
  process.stdout.write(`${name} from seed ${seed}, ${Math.round(process.uptime())} s after the start: ${line}\n`)
  if (isBroken) process.exitCode = 1
}
