// Memory: a server over a grown store with many lifecycles in flight, and whether it grows while it works.
import { join } from 'node:path'
import { fillSqlite } from '../scale/fill-sqlite.ts'
import { templates } from '../scale/templates.ts'
import { inLanes } from '../counts/in-lanes.ts'
import { inFolder } from '../folder.ts'
import { httpServer } from '../http-lifecycles.ts'
import type { Options } from '../options.ts'
import type { Found, Part } from '../report.ts'

const IN_FLIGHT = 64
const MEGABYTES_MAX = 200
/** In so many stretches, after each of which the memory is looked at. */
const STRETCHES = 10
/** Of the first half of the stretches, what the second half may have more: what the collector leaves for later. */
const GROWTH_MAX = 1.1

export const memory: Part = { name: 'memory', run: async (options) => inFolder(async (folder) => run(options, folder)) }

async function run({ sizes, lifecycles }: Options, folder: string): Promise<Found> {
  const file = join(folder, 'memory.db')
  const size = Math.max(...sizes)
  await fillSqlite(file, await templates(), size)
  const server = await httpServer(file)
  try {
    const requests = server.at('countersign')
    const stretch = Math.max(1, Math.round(lifecycles / STRETCHES))
    const megabytes: number[] = []
    for (let done = 0; done < STRETCHES; done += 1) {
      await inLanes(stretch, IN_FLIGHT, requests.lifecycle)
      megabytes.push((await server.memory()) / 2 ** 20)
    }
    await server.assertBooked(stretch * STRETCHES)
    const half = STRETCHES / 2
    const [first, second] = [megabytes.slice(0, half), megabytes.slice(half)]
    const most = Math.max(...megabytes)
    const atMost = (measure: string, value: number, bar: number): Found['judged'][number] => {
      return { measure, value, spread: 0, bar: { kind: 'at most', value: bar }, isCount: true }
    }
    return {
      figures: [],
      judged: [
        atMost(`MB of a server over ${size} proposals with ${IN_FLIGHT} in flight`, most, MEGABYTES_MAX),
        atMost(`growth over ${stretch * STRETCHES} lifecycles`, Math.max(...second) / Math.max(...first), GROWTH_MAX),
      ],
      values: { 'MB after each tenth': megabytes.map((one) => one.toFixed(0)).join(', ') },
      noise: null,
    }
  } finally {
    await server.close()
  }
}
