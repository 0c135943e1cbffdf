// HTTP: requests over loopback, beside a bare Hono app with the same routes that keeps nothing.
import { join } from 'node:path'
import { inFolder } from '../folder.ts'
import { httpServer } from '../http-lifecycles.ts'
import type { Options } from '../options.ts'
import { type Found, type Part, ratio } from '../report.ts'
import { type Contender, measure } from '../slices.ts'

const BASES = ['countersign', 'bare'] as const
const KINDS = ['read', 'prepare', 'lifecycle'] as const
type Kind = (typeof KINDS)[number]

export const http: Part = {
  name: 'http',
  run: async (options) => inFolder(async (folder) => run(options, folder)),
}

async function run(options: Options, folder: string): Promise<Found> {
  const server = await httpServer(join(folder, 'http.db'))
  try {
    let lifecycles = 0
    const { cpuMs } = server
    const assertOnce = async (): Promise<void> => server.assertBooked(lifecycles)
    const runs = async (base: (typeof BASES)[number]): Promise<Readonly<Record<Kind, Contender['run']>>> => {
      const requests = server.at(base)
      const { proposal } = await requests.prepare()
      return {
        read: () => requests.read(String(proposal)),
        prepare: requests.prepare,
        async lifecycle() {
          await requests.lifecycle()
          if (base === 'countersign') lifecycles += 1
        },
      }
    }
    const at = { countersign: await runs('countersign'), bare: await runs('bare') }
    const contenders = options.inFlight.flatMap((inFlight) => {
      return KINDS.flatMap((kind) => {
        return BASES.map((base) => ({ name: `${kind}, ${base}`, inFlight, run: at[base][kind], assertOnce, cpuMs }))
      })
    })
    const { figures, noise } = await measure(contenders, options, folder)
    const ratios = options.inFlight.flatMap((inFlight) => {
      return KINDS.map((kind): [string, number | null] => {
        const found = ratio(figures, [`${kind}, countersign`, `${kind}, bare`], inFlight)
        return [`${kind} at ${inFlight}, as a share of the bare app`, found?.value ?? null]
      })
    })
    return { figures, judged: [], values: Object.fromEntries(ratios), noise }
  } finally {
    await server.close()
  }
}
