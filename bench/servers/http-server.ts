// The servers of the comparison, in a process of their own: the API on a SQLite file, and a bare Hono app that keeps nothing.
import { once } from 'node:events'
import process from 'node:process'
import { serve } from '@hono/node-server'
import { createApp, staticTokens } from 'countersign/http'
import { sqliteStore } from 'countersign/sqlite'
import { Hono } from 'hono'
import { finance, openTransfers, support } from '../lifecycles.ts'
import { bareApp } from './bare-app.ts'
import { BASES, TOKENS } from './http-places.ts'
import { ownCpuMs, serveParent } from './parent.ts'

const [, , file = ''] = process.argv
const store = await sqliteStore(file)
const { runtime, action } = await openTransfers(store)
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

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
await once(server, 'listening')
const address = server.address()
const port = address === null || typeof address === 'string' ? 0 : address.port
await serveParent(port, (question) => {
  if (question === 'cpu') return ownCpuMs()
  if (question === 'memory') return process.memoryUsage().rss
  return action.bookedOnce()
})
server.close()
await store.close()
