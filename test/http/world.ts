// The world of the tests of HTTP: the runtime's, with an app on it and a caller for every session of the cast.
import type { Hono } from 'hono'
import type { Session } from '../../src/proposal/session.ts'
import { type AppOptions, createApp } from '../../src/http.ts'
import { openWorld, type World, type WorldOptions } from '../runtime/harness.ts'
import { permissions } from '../runtime/operators.ts'
import { validated } from './validated-app.ts'

/** Everybody's rights, those of events and of announcements with them. */
export const httpPermissions: Readonly<Record<string, unknown>> = {
  ...permissions,
  events: ['feed', 'operator'],
}

export interface HttpWorldOptions extends WorldOptions {
  readonly app?: Partial<AppOptions>
}

/** What a request has beside its method and path. */
export interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  /** Written as JSON. */
  readonly json?: unknown
  /** Sent as it is. */
  readonly text?: string | Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
}

/** What came back, its body read once. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed, where it is JSON. */
  readonly json: Readonly<Record<string, unknown>>
}

export interface HttpWorld extends World {
  /** The app; every answer that is sent through `send` is held against the document. */
  readonly app: Hono
  /** Sends as somebody, or as nobody. */
  send(by: Session | null, method: string, path: string, sending?: Sending): Promise<Received>
  get(by: Session | null, path: string, headers?: Readonly<Record<string, string>>): Promise<Received>
  post(by: Session | null, path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<Received>
}

/** Opens a world whose credentials are the sessions themselves, written into a token. */
export async function openHttp(options: HttpWorldOptions): Promise<HttpWorld> {
  const { app: appOptions, contract, ...worldOptions } = options
  const world = await openWorld({
    ...worldOptions,
    contract: {
      permissions: httpPermissions,
      lifetime: '2h',
      verification: { absences: 1 },
      acceptProof: { failure: ['terminal', 'key_consumed'], resend: ['terminal'] },
      ...contract,
    },
  })
  const app = createApp({ runtime: world.runtime, authenticate, ...appOptions })
  const fetch = validated(app)
  const send: HttpWorld['send'] = async (by, method, path, { headers = {}, json, text, signal } = {}) => {
    const body = json === undefined ? text : JSON.stringify(json)
    const request = new Request(`http://countersign.test${path}`, {
      method,
      headers: {
        ...(by === null ? {} : { Authorization: `Bearer ${tokenOf(by)}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
    return received(await fetch(request))
  }
  return {
    ...world,
    app,
    send,
    get: (by, path, headers = {}) => send(by, 'GET', path, { headers }),
    post: (by, path, json, headers = {}) => send(by, 'POST', path, { headers, json }),
  }
}

/** Reads a response once. */
export async function received(response: Response): Promise<Received> {
  const text = await response.text()
  const isJson = (response.headers.get('Content-Type') ?? '').includes('json') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? (JSON.parse(text) as Received['json']) : {},
  }
}

/** The session as a token: the tests' own authentication believes it. */
export function tokenOf(session: Session): string {
  return Buffer.from(JSON.stringify(session)).toString('base64url')
}

/** The authentication of the tests. */
export function authenticate(request: Request): Session | null {
  const token = /^Bearer (.+)$/.exec(request.headers.get('Authorization') ?? '')?.[1]
  return token === undefined ? null : (JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Session)
}
