// The authorization matrix over HTTP: what everybody is answered in every state, held against a page of data.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { reach, type State } from '../runtime/states.ts'
import { answered, callers, isRefusal, linesOf, operations, targetIn } from './authority-matrix.ts'
import { openHttp } from './world.ts'

const page = readFileSync(new URL('authority-matrix.txt', import.meta.url), 'utf8')

/** The lines below each heading `operation in state`. */
const sections = new Map(
  page
    .split(/\n\n(?=\w+ in \w+\n)/)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.trimEnd().split('\n')
      return [heading, lines] as const
    }),
)

const pairs = (Object.keys(reach) as State[]).flatMap((state) => {
  return operations.map((operation) => ({ heading: `${operation} in ${state}`, state, operation }))
})

describe('threat T1 over HTTP', () => {
  it('threat T1 the page speaks of every operation in every state, and of every caller', () => {
    expect([...sections.keys()]).toEqual(pairs.map(({ heading }) => heading))
    for (const [heading, lines] of sections) {
      const named = lines.flatMap((line) => line.slice(30).trim().split(' '))
      expect([heading, named.toSorted()]).toEqual([heading, Object.keys(callers).toSorted()])
    }
  })

  it.each(pairs)('threat T1 $heading', async ({ heading, state, operation }) => {
    const expected = expectedOf(sections.get(heading) ?? [])
    const world = await openHttp({ store: 'memory' })
    const target = await targetIn(world, state, operation)
    const before = [world.faults.changes.length, world.action.calls.execute]
    const told: Record<string, string> = {}
    const permitted: string[] = []

    for (const [name, by] of Object.entries(callers)) {
      if (isRefusal(expected[name] ?? '')) told[name] = await answered(world, by, target)
      else permitted.push(name)
    }
    // A refusal stores nothing and calls nothing.
    expect([world.faults.changes.length, world.action.calls.execute]).toEqual(before)
    for (const name of permitted) {
      const isRead = target.example.method === 'GET'
      const fresh = isRead ? world : await openHttp({ store: 'memory' })
      const own = isRead ? target : await targetIn(fresh, state, operation)
      const by = callers[name]
      if (by !== undefined) told[name] = await answered(fresh, by, own)
    }

    expect(linesOf(told)).toEqual(sections.get(heading))
  })
})

function expectedOf(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const answer = line.slice(2, 30).trim()
      return line
        .slice(30)
        .trim()
        .split(' ')
        .map((name) => [name, answer] as const)
    }),
  )
}
