// A server under test: "countersign serve" as a process of its own, what it printed, and requests to it.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { repositoryRoot } from '../../tools/repository.ts'
import { judgeOf } from '../http/validated-app.ts'

const greetingSchema = z.strictObject({
  url: z.string(),
  inbox: z.string().nullable(),
  provider: z.string().nullable(),
  actions: z.array(z.string()),
  tokens: z.record(z.string(), z.string()),
})

/** What `--json` prints. */
export type Greeting = z.infer<typeof greetingSchema>

/** An answer, read whole. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly text: string
}

/** How it ended: with an exit code, or by a signal. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ServeUnderTest extends Greeting {
  readonly line: string
  readonly child: ChildProcess
  /** All that it has written to standard error so far. */
  readonly log: () => string
  readonly ended: Promise<Ending>
  /** A request as one of the tokens' holders; a body makes it a POST. */
  readonly ask: (path: string, as: string, body?: unknown, init?: RequestInit) => Promise<Answer>
}

export interface ServeRun {
  readonly cwd: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What is run; the command itself if not given. */
  readonly main?: string
}

const { PATH = '' } = process.env

/** Starts the process; it is gone when the test is over. */
export function spawnServe({ cwd, args = [], env = {}, main = join(repositoryRoot, 'src/cli/main.ts') }: ServeRun): {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly ended: Promise<Ending>
} {
  const command = ['--conditions=countersign-source', main, 'serve']
  const child = spawn(process.execPath, [...command, ...args], {
    cwd,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return { child, ended }
}

/** Starts it on a free port and waits until it takes requests. */
export async function startServe(run: ServeRun): Promise<ServeUnderTest> {
  const { child, ended } = spawnServe({ ...run, args: ['--json', '--port', '0', ...(run.args ?? [])] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk
  })
  const line = await Promise.race([
    firstLine(child.stdout),
    ended.then(() => {
      throw new Error(`it ended: ${log}`)
    }),
  ])
  const greeting = greetingSchema.parse(JSON.parse(line))
  return {
    ...greeting,
    line,
    child,
    ended,
    log: () => log,
    ask: async (path, as, body, init = {}) => ask(greeting, { path, as, body, init }),
  }
}

async function firstLine(input: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input })
  const [line] = (await once(lines, 'line')) as [string]
  return line
}

const judges = new Map<string, ReturnType<typeof judgeOf>>()

// The document of the server that answers is what its answers are held against; every server has the same.
async function judgeAt(url: string): ReturnType<typeof judgeOf> {
  const judge = judges.get(url) ?? judgeOf({ request: async (path) => fetch(new URL(path, url)) })
  judges.set(url, judge)
  return judge
}

async function ask(
  { url, tokens }: Greeting,
  {
    path,
    as,
    body,
    init,
  }: { readonly path: string; readonly as: string; readonly body: unknown; readonly init: RequestInit },
): Promise<Answer> {
  const request = new Request(new URL(path, url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${tokens[as] ?? ''}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    ...init,
  })
  const response = await fetch(request.clone())
  const faults = path.startsWith('/v1/') ? await (await judgeAt(url))(request, response.clone()) : []
  if (faults.length > 0)
    throw new Error(`${path} ${response.status}: ${faults.map(({ message }) => message).join('; ')}`)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text), text }
}

/** What differs from a refund of 10.00 EUR of ORD-1001. */
export interface Differing {
  readonly orderReference?: string
  readonly intent?: string
  readonly amount?: string
}

/** The body that prepares it. */
export function refundOf({
  orderReference = 'ORD-1001',
  intent = 'damaged item',
  amount = '10.00',
}: Differing = {}): unknown {
  return {
    action: 'example.payments/refund@1',
    command: { orderReference, intent, amount: { amount, currency: 'EUR' } },
  }
}

const resultSchema = z.looseObject({ proposal: z.string(), commitment: z.string(), status: z.string() })

/** What an operation answered, as far as tests go by it. */
export function resultIn({ body }: Pick<Answer, 'body'>): z.infer<typeof resultSchema> {
  return resultSchema.parse(body)
}

/** Prepares as the agent and approves as finance; answers the reference. */
export async function approvedRefund(server: ServeUnderTest, differing: Differing = {}): Promise<string> {
  const { proposal, commitment } = resultIn(await server.ask('/v1/proposals', 'agent', refundOf(differing)))
  await server.ask(`/v1/proposals/${proposal}/approve`, 'finance1', { commitment })
  return proposal
}

const dueSchema = z.looseObject({ waitUntil: z.int().nullable() })

/** Waits until the next look at the target is due, which `execute` tells to whoever may execute. */
export async function whenDue(server: ServeUnderTest, ref: string, as: string): Promise<void> {
  const { waitUntil } = dueSchema.parse((await server.ask(`/v1/proposals/${ref}/execute`, as, {})).body)
  await setTimeout(Math.max(0, (waitUntil ?? 0) - Date.now()))
}

/** Lets a fault meet the next request of its kind. */
export async function fault(server: ServeUnderTest, name: string): Promise<void> {
  await control(server, '/_faults', { fault: name, count: 1 })
}

/** Asks the development controls of the example's business system; a body makes it a POST. */
export async function control({ provider }: ServeUnderTest, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${provider}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    body: body === undefined ? null : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} is answered with ${response.status}`)
  return response.json()
}
