// The gate passes everything on, counts writes, lets another writer in between, and loses what it is told to.
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpGate, startHttpGate } from '../../src/testing.ts'

interface Seen {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly key: string | string[] | undefined
  readonly body: string
}

let target: Server
let url: string
let gate: HttpGate
let seen: Seen[]

beforeEach(async () => {
  seen = []
  target = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      seen.push({ method: request.method, path: request.url, key: request.headers['idempotency-key'], body })
      response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ answer: 'to a request', path: request.url }))
    })
  }).listen(0, '127.0.0.1')
  await once(target, 'listening')
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  gate = await startHttpGate(url)
})
afterEach(async () => {
  await gate.close()
  target.closeAllConnections()
  target.close()
})

describe('a gate', () => {
  it('passes requests and answers on as they are', async () => {
    const response = await fetch(`${gate.url}/missing`, {
      method: 'POST',
      headers: { 'idempotency-key': 'key-1' },
      body: 'content',
    })

    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ answer: 'to a request', path: '/missing' })
    expect(seen).toEqual([{ method: 'POST', path: '/missing', key: 'key-1', body: 'content' }])
  })

  it('counts writes, and not reads', async () => {
    for (const method of ['GET', 'POST', 'GET', 'DELETE']) await fetch(gate.url, { method })

    expect(gate.writes()).toBe(2)
  })

  it('counts as a write what it was told is one', async () => {
    const other = await startHttpGate(url, { isWrite: (_method, path) => path.startsWith('/send') })
    for (const path of ['/send', '/search']) await fetch(other.url + path, { method: 'POST' })

    expect(other.writes()).toBe(1)
    await other.close()
  })

  it('lets somebody in before the next write reaches the target, once, and not before a read', async () => {
    const order: string[] = []
    gate.beforeNextWrite(async () => {
      order.push(`between, ${seen.length} seen`)
    })
    await fetch(gate.url)
    await fetch(gate.url, { method: 'POST' })
    await fetch(gate.url, { method: 'POST' })

    expect(order).toEqual(['between, 1 seen'])
    expect(seen).toHaveLength(3)
  })

  it('forgets whoever was to come in between', async () => {
    let came = false
    gate.beforeNextWrite(async () => {
      came = true
    })
    gate.beforeNextWrite(null)
    await fetch(gate.url, { method: 'POST' })

    expect(came).toBe(false)
  })

  it.each([
    ['drop_request', 0],
    ['drop_answer', 1],
  ] as const)('%s: the caller is told nothing, and the target has seen %i', async (fault, count) => {
    gate.fault('write', fault)
    await fetch(gate.url)

    await expect(fetch(gate.url, { method: 'POST' })).rejects.toThrow('fetch failed')

    expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(count)
    expect((await fetch(gate.url, { method: 'POST' })).status).toBe(200)
  })

  it('ends an answer in the middle', async () => {
    gate.fault('read', 'truncate_answer')

    const text = await (await fetch(gate.url)).text()

    expect(text).toMatch(/^\{"answer":/)
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
  })

  it('cuts every connection until it is restored', async () => {
    gate.cut()
    await expect(fetch(gate.url)).rejects.toThrow('fetch failed')
    await expect(fetch(gate.url, { method: 'POST' })).rejects.toThrow('fetch failed')
    gate.restore()

    expect((await fetch(gate.url)).status).toBe(200)
    expect(seen).toHaveLength(1)
  })

  it('seeds a private note into what the target answers', async () => {
    const other = await startHttpGate(url, { privateNote: 'canary' })

    expect(await (await fetch(other.url)).json()).toMatchObject({ answer: 'to a request', privateNote: 'canary' })
    await other.close()
  })
})
