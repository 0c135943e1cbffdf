// Answers of hosts are taken apart without running any of their code, and what is odd stays odd.
import { describe, expect, it } from 'vitest'
import { takenApart, withoutUndefined } from '../../src/proposal/answers/host-answer.ts'

describe('without what is undefined', () => {
  it('drops the properties that are undefined, of the outermost object only', () => {
    const inner = { note: undefined }

    expect(withoutUndefined({ a: 1, b: undefined, c: null, d: inner })).toStrictEqual({ a: 1, c: null, d: inner })
  })

  it('takes frozen objects, and objects without a prototype', () => {
    expect(withoutUndefined(Object.freeze({ a: 1, b: undefined }))).toStrictEqual({ a: 1 })
    expect(withoutUndefined(Object.assign(Object.create(null), { a: 1, b: undefined }))).toStrictEqual({ a: 1 })
  })

  it.each<[string, unknown]>([
    ['a word', 'accepted'],
    ['null', null],
    ['undefined', undefined],
    ['a list', [undefined]],
    ['a date', new Date(0)],
    [
      'a class instance',
      new (class {
        readonly a = undefined
      })(),
    ],
    ['a proxy', new Proxy({ a: undefined }, {})],
  ])('leaves %s as it is', (_, value) => {
    expect(withoutUndefined(value)).toBe(value)
  })

  it('keeps accessors, hidden properties and symbols for the judge to refuse, and runs none of them', () => {
    const symbol = Symbol('trace')
    const answer = Object.defineProperties(
      { a: undefined, [symbol]: undefined },
      { computed: { enumerable: true, get: throwing }, hidden: { value: 1 } },
    )

    expect(keysOf(withoutUndefined(answer))).toEqual(['computed', 'hidden', symbol])
  })

  it('keeps an own key __proto__ for the judge to refuse', () => {
    const answer = withoutUndefined(JSON.parse('{"__proto__":{"a":1}}'))

    expect(keysOf(answer)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(answer)).toBe(Object.prototype)
  })
})

describe('taken apart', () => {
  it('is the value of one property, and the rest', () => {
    const replacement = { refunded: '30.00' }

    expect(takenApart({ current: null, replacement }, 'replacement')).toStrictEqual({
      value: replacement,
      rest: { current: null },
    })
  })

  it('is whole where there is no such property', () => {
    const answer = { current: null }

    expect(takenApart(answer, 'replacement')).toStrictEqual({ value: undefined, rest: answer })
    expect(takenApart(answer, 'toString')).toStrictEqual({ value: undefined, rest: answer })
  })

  it.each<[string, unknown]>([
    ['a word', 'gone'],
    ['null', null],
    [
      'a class instance',
      new (class {
        readonly replacement = 1
      })(),
    ],
    ['a proxy', new Proxy({ replacement: 1 }, { get: throwing, has: throwing })],
    ['a computed property', Object.defineProperty({}, 'replacement', { enumerable: true, get: throwing })],
  ])('leaves %s whole', (_, answer) => {
    const { value, rest } = takenApart(answer, 'replacement')

    expect(value).toBe(undefined)
    expect(rest).toBe(answer)
  })
})

function keysOf(answer: unknown): readonly PropertyKey[] {
  return Reflect.ownKeys(answer as object)
}

function throwing(): never {
  throw new Error('a trap')
}
