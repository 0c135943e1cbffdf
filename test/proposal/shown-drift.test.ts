// Of the fields that moved, those are named on which the preview depends, and no other.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type JsonValue } from '../../src/effect/canonical-json.ts'
import { drift } from '../../src/proposal/content/drift.ts'
import { shownPaths } from '../../src/proposal/content/shown-drift.ts'

const all = { immaterial: [], sets: [] }
const text = (value: JsonValue): string => canonicalJson(value, { numbers: 'integers' })

const shown = (approved: JsonValue, current: JsonValue, preview: (state: JsonValue) => JsonValue): readonly string[] =>
  shownPaths(approved, drift(approved, current, all), (state) => text(preview(state)))

type Order = {
  readonly name: string
  readonly secret: boolean
  readonly lines: readonly { readonly price: number; readonly cost: number }[]
  readonly note?: string
}

const line = (price: number): Order['lines'][number] => ({ price, cost: 5 })
const order: Order = { name: 'a', secret: false, lines: [line(1), line(2)] }
const preview = (state: JsonValue): JsonValue => {
  const { name, lines, note = null } = state as Order
  return { title: `For ${name}`, total: lines.reduce((sum, { price }) => sum + price, 0), isFinal: false, note }
}

describe('the paths that a preview shows', () => {
  it.each<[string, Partial<Order>, readonly string[]]>([
    ['nothing moved', {}, []],
    ['a field that stands in it', { name: 'b' }, ['/name']],
    ['a private field that is equal to something in it', { secret: true }, []],
    ['an element that is summed up in it', { lines: [line(1), line(9)] }, ['/lines/1/price']],
    ['a private part of an element', { lines: [{ price: 1, cost: 7 }, line(2)] }, []],
    ['an element fewer', { lines: [line(1)] }, ['/lines/1']],
    ['two elements more', { lines: [...order.lines, line(3), line(0)] }, ['/lines/2']],
    ['a field more', { note: 'x' }, ['/note']],
    [
      'all at once',
      { name: 'b', secret: true, lines: [line(2), line(1)] },
      ['/name', '/lines/0/price', '/lines/1/price'],
    ],
  ])('%s', (_title, changes, paths) => {
    expect(shown(order, { ...order, ...changes }, preview)).toEqual(paths)
  })

  it('are those of a field that is gone, too', () => {
    expect(shown({ ...order, note: 'x' }, order, preview)).toEqual(['/note'])
  })

  it('are the root where everything is another', () => {
    expect(shown('a', 'b', (state) => state)).toEqual([''])
  })

  it('are none where the approved state has no preview, and not those without which there is none', () => {
    const current = { ...order, name: 'b' }

    expect(shownPaths(order, drift(order, current, all), () => null)).toEqual([])
    const picky = (state: JsonValue): string | null => ((state as Order).name === 'b' ? null : text(preview(state)))
    expect(shownPaths(order, drift(order, current, all), picky)).toEqual([])
  })

  it('are found with states that nobody can change', () => {
    const states: JsonValue[] = []
    shownPaths(order, drift(order, { ...order, lines: [] }, all), (state) => {
      states.push(state)
      return text(preview(state))
    })

    expect(states.slice(1).every((state) => Object.isFrozen((state as Order).lines))).toBe(true)
    expect(order.lines).toHaveLength(2)
  })

  test.prop([fc.record({ a: fc.integer(), b: fc.integer() }), fc.record({ a: fc.integer(), b: fc.integer() })])(
    'never hold a field that the preview does not read',
    (approved, current) => {
      const paths = shown(approved, current, (state) => (state as { a: number }).a)

      expect(paths).toEqual(approved.a === current.a ? [] : ['/a'])
    },
  )
})
