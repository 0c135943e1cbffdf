// The servers of the comparison, in a process of their own: the API on a SQLite file, and a bare Hono app that keeps nothing.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { serve } from '@hono/node-server'
import { createApp, staticTokens } from 'countersign/http'
import { sqliteStore } from 'countersign/sqlite'
import { Hono } from 'hono'
import { bareApp } from './bare-app.ts'
import { BASES, TOKENS } from './http-places.ts'
import { finance, openTransfers, support } from './lifecycles.ts'

const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
const store = await sqliteStore(join(folder, 'countersign.db'))
const { runtime } = await openTransfers(store)
const authenticate = staticTokens(
  [
    { token: TOKENS.support, session: support },
    { token: TOKENS.finance, session: finance },
  ],
  { listeningOn: '127.0.0.1' },
)
const app = new Hono()
app.route(BASES.countersign, createApp({ runtime, authenticate }))
app.route(BASES.bare, bareApp())

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.send?.(`http://127.0.0.1:${port}`)
})

// Asked for its processor time so far, which neighbours change less than the time that passes.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1_000)
})

// Whoever started it goes, and it goes too.
await once(process, 'disconnect')
server.close()
await store.close()
await rm(folder, { recursive: true })
