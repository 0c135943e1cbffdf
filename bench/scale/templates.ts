// Proposals of each kind that a grown store holds, as real ones leave them: their rows, with what is theirs alone marked.
import { join } from 'node:path'
import { sqliteStore } from 'countersign/sqlite'
import { inFolder } from '../folder.ts'
import { finance, openTransfers, support, transferNamed } from '../lifecycles.ts'
import { ownValues, type OwnValue, Recorder, type Row } from '../loops/recorder.ts'

const DAY_MS = 86_400_000

/** One kind of proposal. */
export interface Template {
  readonly name: string
  readonly rows: readonly { readonly table: string; readonly values: Row }[]
  readonly own: readonly OwnValue[]
  /** How many of them a store of a size holds. */
  readonly count: (size: number) => number
  /** By how much their times are moved; `later` are those that lie in the future of what waits for nobody yet. */
  readonly shiftMs: number
  readonly laterMs: number
}

/** What has fallen due and was not done yet does not grow with the store: workers keep up. */
const BACKLOG = 100

const share =
  (part: number) =>
  (size: number): number =>
    Math.round(size * part)

/** Nine of ten are verified; what is open or in doubt is the few of the last days. */
export async function templates(): Promise<readonly Template[]> {
  return inFolder(async (folder) => {
    const file = join(folder, 'templates.db')
    const store = await sqliteStore(file)
    const { runtime } = await openTransfers(store)
    const recorder = new Recorder(file)
    const made = (name: string, count: Template['count'], shiftMs = 0, laterMs = 0): Template => {
      const writes = recorder.step().filter(({ kind }) => kind === 'insert')
      return { name, rows: writes, own: ownValues([writes]), count, shiftMs, laterMs }
    }
    const prepared = async (name: string): Promise<{ proposal: string; commitment: string }> => {
      return runtime.prepare(support, transferNamed(name))
    }
    const approved = async (name: string): Promise<string> => {
      const { proposal, commitment } = await prepared(name)
      await runtime.approve(finance, proposal, { commitment })
      return proposal
    }
    const executed = async (name: string): Promise<string> => {
      const proposal = await approved(name)
      await runtime.execute(support, proposal)
      return proposal
    }

    const all: Template[] = []
    await runtime.reconcile(support, await executed('verified'), { now: true })
    all.push(made('verified', (size) => size - all.slice(1).reduce((sum, { count }) => sum + count(size), 0)))
    const { proposal, commitment } = await prepared('rejected')
    await runtime.reject(finance, proposal, { commitment })
    all.push(made('rejected', share(0.03)))
    await runtime.withdraw(support, (await prepared('withdrawn')).proposal)
    all.push(made('withdrawn', share(0.03)))
    await prepared('awaiting approval')
    all.push(made('awaiting_approval', share(0.02), 0, 365 * DAY_MS))
    await approved('approved')
    all.push(made('approved', share(0.01), 0, 365 * DAY_MS))
    await executed('in doubt, to be verified later')
    all.push(made('verification_pending', share(0.01), 0, 365 * DAY_MS))
    await prepared('expired')
    all.push(made('expired, and not seen to', () => BACKLOG, -DAY_MS))
    await executed('in doubt, to be verified now')
    all.push(made('verification_pending, and due', () => BACKLOG, -DAY_MS))
    recorder.close()
    await store.close()
    return all
  })
}
