// The proxy before PostgreSQL does what the crash proofs rest on: it counts every message, and cuts where it is told.
import { Client, type QueryResult } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rawSql, serverUrl } from '../store/postgres-fixture.ts'
import { cuttingProxy, type Fate, type ProxyOptions } from './cutting-proxy.ts'
import { sqlOf } from './messages.ts'

async function through(options: ProxyOptions): Promise<Client> {
  const proxy = await cuttingProxy(await serverUrl(), options)
  const client = new Client({ connectionString: proxy.url, query_timeout: 2_000 })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(async () => {
    await client.end().catch(() => null)
    await proxy.close()
  })
  return client
}

const VALUE = 'ä'.repeat(3_000)
const ask = (client: Client): Promise<QueryResult> => client.query('select $1::text as said', [VALUE])

describe('a proxy before PostgreSQL', () => {
  it('sees every message of a client by its type, sign-in included', async () => {
    const types: string[] = []
    const client = await through({
      decide({ type }) {
        types.push(type)
        return 'pass'
      },
    })

    expect((await ask(client)).rows).toEqual([{ said: VALUE }])

    expect(types.join(' ')).toMatch(/^startup p (?:p )?P B D E S$/u)
  })

  it('splits what passes to single bytes and holds each back, and nothing is lost', async () => {
    let pieces = 0
    const client = await through({
      pieces: (bytes) => Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1)),
      turns() {
        pieces += 1
        return pieces % 3
      },
    })

    expect((await ask(client)).rows).toEqual([{ said: VALUE }])

    expect(pieces).toBeGreaterThan(2 * VALUE.length)
  })

  it.each([
    ['cut_before', 0, 'Connection terminated unexpectedly'],
    ['cut_after', 1, 'Connection terminated unexpectedly'],
    ['silent_before', 0, 'Query read timeout'],
    ['silent_after', 1, 'Query read timeout'],
  ] as const)(
    'finding F6: %s a COMMIT leaves %i rows, and the client hears the same of either',
    async (fate, rows, said) => {
      const url = await serverUrl()
      await rawSql(url, 'public', `create table ${fate} (id int)`)
      const fates: Fate[] = []
      const client = await through({
        decide(message) {
          const met = sqlOf(message) === 'commit' ? fate : 'pass'
          if (met !== 'pass') fates.push(met)
          return met
        },
      })
      await client.query('begin')
      await client.query(`insert into ${fate} values (1)`)

      await expect(client.query('commit')).rejects.toThrow(said)

      expect(fates).toEqual([fate])
      expect(await rawSql(url, 'public', `select count(*)::int as n from ${fate}`)).toEqual([{ n: rows }])
    },
  )
})
