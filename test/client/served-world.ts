// The world of the client's tests: the app on a real socket, a faulty proxy in front of it, and a client for everybody.
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { onTestFinished } from 'vitest'
import { type ClientOptions, CountersignClient } from '../../src/client.ts'
import type { Session } from '../../src/proposal/session.ts'
import { type HttpWorld, type HttpWorldOptions, openHttp, tokenOf } from '../http/world.ts'
import { validated } from '../http/validated-app.ts'
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts'

export interface ServedWorld extends HttpWorld {
  readonly proxy: FaultyProxy
  /** How long was waited before repetitions, in milliseconds; nothing waits in truth. */
  readonly waits: number[]
  /** A client of somebody, through the proxy. */
  client(by: Session, options?: Partial<ClientOptions>): CountersignClient
}

/** Opens a world and serves it. */
export async function openServed(options: Partial<HttpWorldOptions> = {}): Promise<ServedWorld> {
  const world = await openHttp({ store: 'memory', ...options })
  const server = createAdaptorServer({ fetch: validated(world.app) })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
  })
  const proxy = await faultyProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const waits: number[] = []
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms)
  }
  const client = (by: Session, more: Partial<ClientOptions> = {}): CountersignClient => {
    return new CountersignClient({ url: proxy.url, token: tokenOf(by), wait, ...more })
  }
  return { ...world, proxy, waits, client }
}
