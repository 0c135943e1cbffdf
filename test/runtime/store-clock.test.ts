// The store's clock as a process knows it: two bounds, which are the process's own time until a difference can be told.
import { describe, expect, it } from 'vitest'
import { StoreClock } from '../../src/runtime/store-clock.ts'

function heard({ at, askedAt, now }: { at: number; askedAt: number; now: number }) {
  const clock = { at: now, now: () => clock.at }
  const store = new StoreClock(clock)
  store.hear(at, askedAt)
  return {
    bounds: () => [store.earliest(), store.latest()],
    at: (instant: number) => {
      clock.at = instant
      return [store.earliest(), store.latest()]
    },
  }
}

describe('the store’s clock', () => {
  it('is the process’s own while nothing was heard of it', () => {
    const store = new StoreClock({ now: () => 1_000 })

    expect([store.earliest(), store.latest()]).toEqual([1_000, 1_000])
  })

  it.each([
    { what: 'as early as the question', at: 1_000 },
    { what: 'in between', at: 1_010 },
    { what: 'as late as the answer', at: 1_020 },
  ])('is the process’s own if the store’s time is $what', ({ at }) => {
    expect(heard({ at, askedAt: 1_000, now: 1_020 }).bounds()).toEqual([1_020, 1_020])
  })

  it('behind: its time may be as early as the answer took to come, and is taken as late as the process says', () => {
    const store = heard({ at: 900, askedAt: 1_000, now: 1_020 })

    expect(store.bounds()).toEqual([900, 1_020])
    expect(store.at(2_020)).toEqual([1_900, 2_020])
  })

  it('has not jumped where the clock of the process has: what was heard before is still so', () => {
    const clock = { at: 1_020, now: () => clock.at }
    const store = new StoreClock(clock)
    store.hear(900, 1_000)
    clock.at -= 100
    store.jumped(-100)

    expect([store.earliest(), store.latest()]).toEqual([920, 920])
  })

  it('ahead: its time may be as late as the question was asked early, and is taken as early as the process says', () => {
    const store = heard({ at: 1_100, askedAt: 1_000, now: 1_020 })

    expect(store.bounds()).toEqual([1_020, 1_120])
    expect(store.at(2_020)).toEqual([2_020, 2_120])
  })
})
