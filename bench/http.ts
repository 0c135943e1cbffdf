// What requests cost over loopback, beside a bare Hono route with zod validation on the same server in the same run.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { BASES, TOKENS } from './http-places.ts'
import { transferNamed } from './lifecycles.ts'
import { median, percentile, spread } from './median.ts'

const ROUNDS = 7
const LANES = 8
/** How many of each kind are sent in a round. */
const READS = 600
const APPROVALS = 200
const LIFECYCLES = 80

type Name = keyof typeof BASES
type Caller = keyof typeof TOKENS

/** A unit of work that is timed: a request, or a whole lifecycle of them. */
interface Kind {
  readonly name: string
  readonly units: number
  /** What is made beforehand, and is not timed. */
  readonly before: (api: Api) => Promise<readonly Proposal[]>
  readonly run: (api: Api, proposal: Proposal) => Promise<void>
}

interface Proposal {
  readonly proposal: string
  readonly commitment: string
}

interface Api {
  post(by: Caller, path: string, json: unknown): Promise<Readonly<Record<string, unknown>>>
  get(by: Caller, path: string): Promise<Readonly<Record<string, unknown>>>
}

const KINDS: readonly Kind[] = [
  {
    name: 'read',
    units: READS,
    async before(api) {
      const one = await prepared(api)
      return Array.from({ length: READS }, () => one)
    },
    async run(api, { proposal }) {
      assert.equal((await api.get('support', `/v1/proposals/${proposal}`))['kind'], 'proposal')
    },
  },
  {
    name: 'approve',
    units: APPROVALS,
    before: async (api) => inLanes(Array.from({ length: APPROVALS }), async () => prepared(api)),
    run: approved,
  },
  {
    name: 'lifecycle (4 requests)',
    units: LIFECYCLES,
    before: async () => Array.from({ length: LIFECYCLES }, () => ({ proposal: '', commitment: '' })),
    async run(api) {
      const one = await prepared(api)
      await approved(api, one)
      await api.post('support', `/v1/proposals/${one.proposal}/execute`, {})
      // It is due after a millisecond, and most requests take longer.
      let outcome: unknown
      do outcome = (await api.post('support', `/v1/proposals/${one.proposal}/reconcile`, {}))['outcome']
      while (outcome === 'verification_pending')
      assert.equal(outcome, 'verified')
    },
  },
]

const server = fork(fileURLToPath(new URL('./http-server.ts', import.meta.url)))
try {
  const [url] = (await once(server, 'message')) as [string]
  for (const kind of KINDS) await compare(kind, url)
} finally {
  server.disconnect()
}

interface Figures {
  readonly perSecond: number[]
  /** What each unit took, as its sender saw it. */
  readonly ms: number[]
  /** The processor time of the server, of each round by its units. */
  readonly cpuMs: number[]
}

function none(): Figures {
  return { perSecond: [], ms: [], cpuMs: [] }
}

/** Rounds alternate between the two, so that a noisy neighbour meets both alike; the first is not counted. */
async function compare(kind: Kind, url: string): Promise<void> {
  const figures: Record<Name, Figures> = { countersign: none(), bare: none() }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of ['countersign', 'bare'] as const) {
      const { perSecond, ms, cpuMs } = await timed(kind, apiAt(url + BASES[name]))
      if (round === 0) continue
      figures[name].perSecond.push(perSecond)
      figures[name].ms.push(...ms)
      figures[name].cpuMs.push(cpuMs)
    }
  }
  const { countersign, bare } = figures
  console.log(`${kind.name}, ${LANES} at a time`)
  console.log(`  countersign  ${shown(countersign)}`)
  console.log(`  bare         ${shown(bare)}`)
  const rate = median(countersign.perSecond) / median(bare.perSecond)
  const latency = (share: number): string => (percentile(countersign.ms, share) / percentile(bare.ms, share)).toFixed(2)
  console.log(
    `  ratio        ${rate.toFixed(2)} of the rate, ${latency(50)} times the p50, ${latency(99)} times the p99`,
  )
  const cpu = median(countersign.cpuMs) / median(bare.cpuMs)
  console.log(`               ${cpu.toFixed(2)} times the processor time of the server`)
}

interface Round {
  readonly perSecond: number
  readonly ms: number[]
  readonly cpuMs: number
}

async function timed({ before, run }: Kind, api: Api): Promise<Round> {
  const proposals = await before(api)
  const cpuBefore = await cpuOfServer()
  const began = performance.now()
  const ms = await inLanes(proposals, async (one) => {
    const startedAt = performance.now()
    await run(api, one)
    return performance.now() - startedAt
  })
  const perSecond = (proposals.length / (performance.now() - began)) * 1_000
  return { perSecond, ms, cpuMs: ((await cpuOfServer()) - cpuBefore) / proposals.length }
}

async function cpuOfServer(): Promise<number> {
  const answer = once(server, 'message')
  server.send('cpu')
  const [ms] = (await answer) as [number]
  return ms
}

/** Does something with every item, so many at a time. */
async function inLanes<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>): Promise<Result[]> {
  const left = items.values()
  const results: Result[] = []
  const lane = async (): Promise<void> => {
    for (const item of left) results.push(await act(item))
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return results
}

async function approved(api: Api, { proposal, commitment }: Proposal): Promise<void> {
  assert.equal((await api.post('finance', `/v1/proposals/${proposal}/approve`, { commitment }))['outcome'], 'approved')
}

async function prepared(api: Api): Promise<Proposal> {
  const { proposal, commitment } = await api.post(
    'support',
    '/v1/proposals',
    transferNamed(`transfer ${crypto.randomUUID()}`),
  )
  return { proposal: String(proposal), commitment: String(commitment) }
}

function apiAt(base: string): Api {
  const send = async (by: Caller, path: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> => {
    const headers = { Authorization: `Bearer ${TOKENS[by]}`, 'Content-Type': 'application/json' }
    const answer = await fetch(base + path, { ...init, headers })
    assert(answer.ok, `${path} was answered ${answer.status}`)
    return (await answer.json()) as Readonly<Record<string, unknown>>
  }
  return {
    get: async (by, path) => send(by, path, { method: 'GET' }),
    post: async (by, path, json) => send(by, path, { method: 'POST', body: JSON.stringify(json) }),
  }
}

function shown({ perSecond, ms, cpuMs }: Figures): string {
  const rate = `${median(perSecond).toFixed(0).padStart(6)} ± ${spread(perSecond).toFixed(0)} per second`
  return `${rate}, p50 ${percentile(ms, 50).toFixed(2)} ms, p99 ${percentile(ms, 99).toFixed(2)} ms, cpu ${median(cpuMs).toFixed(2)} ms`
}
