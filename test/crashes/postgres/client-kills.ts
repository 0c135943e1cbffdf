// Client kills: processes that are killed by SIGKILL around their commits, and what became of the commits.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newKeyringText } from '../../../src/runtime/keys/local-keyring.ts'
import { cuttingProxy } from '../../postgres/cutting-proxy.ts'
import { sqlOf, tagOf } from '../../postgres/messages.ts'
import type { Acknowledged } from '../acknowledged.ts'
import type { Books } from '../books.ts'
import { faultsLeft, Jobber } from '../jobbers.ts'
import { seededRandom } from '../seeded-random.ts'

/** Where between COMMIT and its answer a process is killed; `answered` is outside, as the answer had been passed on. */
export const MOMENTS = ['on_the_way', 'arrived', 'unanswered', 'answered'] as const
export type Moment = (typeof MOMENTS)[number]

export interface ClientKillOptions {
  readonly url: string
  readonly schema: string
  readonly books: Books
  readonly seed: number
  readonly kills: number
}

export interface ClientKills {
  readonly kills: ReadonlyMap<Moment, number>
  /** COMMIT sent and no answer had come when the process died. */
  readonly inDoubt: number
  /** Of these, those that the server has carried out, and those that never arrived. */
  readonly committed: number
  readonly lost: number
  readonly acknowledged: number
  readonly jobs: number
  readonly faults: readonly string[]
}

const JOBS_A_PROCESS = 3
/** Where they are done one after the other, and where all are done at once and share most commits. */
const COMMITS_A_PROCESS = { apart: 16, shared: 5 } as const
const AT_ONCE = 2

export async function killClients({ url, schema, books, seed, kills }: ClientKillOptions): Promise<ClientKills> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-client-kills-'))
  const random = seededRandom(seed)
  const keys = newKeyringText()
  const tally = new Map<Moment, number>()
  const [jobs, logs, acknowledged] = [new Array<string>(), new Array<string>(), new Array<Acknowledged>()]
  let [begun, committed, lost] = [0, 0, 0]

  const kill = async (number: number): Promise<void> => {
    const moment = MOMENTS[number % MOMENTS.length] ?? 'arrived'
    const isShared = Math.floor(number / MOMENTS.length) % 2 === 1
    let left = 1 + Math.floor(random() * COMMITS_A_PROCESS[isShared ? 'shared' : 'apart'])
    const killed: { by: number | null } = { by: null }
    const isKilled = (): void => {
      tally.set(moment, (tally.get(moment) ?? 0) + 1)
    }
    const proxy = await cuttingProxy(url, {
      async decide(message, connection) {
        if (killed.by !== null || !/\bcommit\b/iu.test(sqlOf(message) ?? '')) return 'pass'
        left -= 1
        if (left > 0) return 'pass'
        killed.by = connection.number
        if (moment === 'on_the_way' || moment === 'arrived') {
          await jobber.kill()
          isKilled()
        }
        if (moment === 'on_the_way') lost += 1
        return moment === 'on_the_way' ? 'cut_before' : 'pass'
      },
      async answered(message, connection) {
        if (killed.by !== connection.number || tagOf(message) !== 'COMMIT') return
        if (moment === 'answered') {
          // What has been passed on by then was heard, or lies in its socket.
          setImmediate(() => void jobber.kill().then(isKilled))
          return
        }
        committed += 1
        if (moment !== 'unanswered') return
        await jobber.kill()
        isKilled()
      },
    })
    const mine = Array.from({ length: JOBS_A_PROCESS }, (_, at) => `${seed}.${number}.${at}`)
    const log = join(folder, `calls-${number}`)
    jobs.push(...mine)
    logs.push(log)
    const jobber = new Jobber({
      url: proxy.url,
      schema,
      keys,
      books: books.url,
      log,
      jobs: mine,
      atOnce: isShared ? JOBS_A_PROCESS : 1,
    })
    await jobber.ended
    acknowledged.push(...jobber.acknowledged)
    await proxy.close()
  }
  try {
    const lane = async (): Promise<void> => {
      for (let number = begun++; number < kills; number = begun++) await kill(number)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    const inDoubt = MOMENTS.slice(0, 3).reduce((sum, moment) => sum + (tally.get(moment) ?? 0), 0)
    const faults = await faultsLeft({ url, schema, keys, books, logs, jobs, acknowledged })
    return { kills: tally, inDoubt, committed, lost, acknowledged: acknowledged.length, jobs: jobs.length, faults }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
