// A long campaign of the crash proofs on PostgreSQL, run by hand: killed clients, killed servers.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { type Books, startBooks } from '../crashes/books.ts'
import { killClients } from '../crashes/postgres/client-kills.ts'
import { killServers, NEMESES } from '../crashes/postgres/server-kills.ts'
import { newServer } from '../postgres/server.ts'

const { values } = parseArgs({
  options: {
    /** How many processes are killed, and how often the server is struck. */
    clients: { type: 'string', default: '0' },
    servers: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
})

const [seed, kills, strikes] = [Number(values.seed), Number(values.clients), Number(values.servers)]
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

function told(name: string, run: object, isBroken: boolean): void {
  const line = JSON.stringify(run, (_key, value: unknown): unknown =>
    value instanceof Map ? Object.fromEntries(value) : value,
  )
  process.stdout.write(`${name} from seed ${seed}, ${Math.round(process.uptime())} s after the start: ${line}\n`)
  if (isBroken) process.exitCode = 1
}
