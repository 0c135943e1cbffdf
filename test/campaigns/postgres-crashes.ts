// A long campaign of the crash proofs on PostgreSQL, run by hand: processes that are killed around COMMIT.
import { parseArgs } from 'node:util'
import { startBooks } from '../crashes/books.ts'
import { killClients } from '../crashes/client-kills.ts'
import { newServer } from '../postgres/server.ts'

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
})

const [seed, kills] = [Number(values.seed), Number(values.clients)]
const server = await newServer('18')
const books = await startBooks()
const beganAt = Date.now()
const run = await killClients({ url: server.url, schema: 'clients', books, seed, kills })
await books.stop()
await server.remove()

const seconds = Math.round((Date.now() - beganAt) / 1_000)
const line = JSON.stringify({ ...run, kills: Object.fromEntries(run.kills) })
process.stdout.write(`client kills from seed ${seed} in ${seconds} s: ${line}\n`)
if (run.faults.length > 0 || run.inDoubt < 0.3 * kills) process.exitCode = 1
