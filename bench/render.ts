// Puts the figures of the last run of each part into the README of the bench.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kept, printed } from './report.ts'

const README = new URL('./README.md', import.meta.url)
const PLACE = /(<!-- figures of (\w+) -->\n)[\s\S]*?(<!-- end -->)/gu

/** `from` is the folder of the JSON files; a place whose part has none is left as it is. */
export function renderReadme(from: string): void {
  const text = readFileSync(README, 'utf8')
  const rendered = text.replaceAll(PLACE, (before: string, opening: string, part: string, closing: string) => {
    const file = join(from, `${part}.json`)
    if (!existsSync(file)) return before
    const { at, versions, machine, options, found } = JSON.parse(readFileSync(file, 'utf8')) as Kept
    const listed = (values: Kept['versions'] | Kept['machine']): string => {
      return Object.entries(values)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')
    }
    const rounds = found.noise === null ? '' : `, ${options.rounds} rounds of ${options.sliceMs} ms`
    const run = `One run of ${at.slice(0, 10)}${rounds}: ${listed(versions)}; ${listed(machine)}.`
    return `${opening}\n${run}\n\n${printed(found, options.evenIfNoisy)}\n\n${closing}`
  })
  writeFileSync(README, rendered)
}
