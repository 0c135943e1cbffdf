// `npm run bench [-- PART… FLAGS]`: measures, prints tables, and keeps the figures as JSON; `-- render` puts them into the README.
import process from 'node:process'
import { readOptions } from './options.ts'
import { renderReadme } from './render.ts'
import { keep, type Part, printed } from './report.ts'
import { counts } from './parts/counts.ts'
import { http } from './parts/http.ts'
import { lifecycle } from './parts/lifecycle.ts'
import { limit } from './parts/limit.ts'
import { memory } from './parts/memory.ts'
import { micro } from './parts/micro.ts'
import { peers } from './parts/peers.ts'
import { processes } from './parts/processes.ts'
import { scale } from './parts/scale.ts'
import { start } from './parts/start.ts'

const PARTS: readonly Part[] = [counts, limit, lifecycle, http, processes, scale, memory, micro, start, peers]

const { parts, options } = readOptions(process.argv.slice(2))
if (parts.includes('render')) {
  renderReadme(options.out)
  process.exit(0)
}
const unknown = parts.filter((name) => PARTS.every((part) => part.name !== name))
if (unknown.length > 0) {
  console.error(`No part is called ${unknown.join(', ')}. There are: ${PARTS.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}
for (const { name, run } of PARTS) {
  if (parts.length > 0 && !parts.includes(name)) continue
  console.log(`\n## ${name}\n`)
  const found = await run(options)
  keep(name, options, found)
  console.log(printed(found, options.evenIfNoisy))
}
