// The virtual clock: what moves, in which order timers fire, and what does not move by itself.
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'

const start = Date.UTC(2030, 0, 1)

describe('a virtual clock', () => {
  it('stands still where it was set, with monotonic time at zero', () => {
    const clock = new VirtualClock(start)

    expect(clock.state()).toEqual({ now: start, monotonic: 0 })
    expect([clock.now(), clock.monotonic()]).toEqual([start, 0])
  })

  it('moves wall and monotonic time together when it is advanced', async () => {
    const clock = new VirtualClock(start)

    await clock.advance(1_500)

    expect(clock.state()).toEqual({ now: start + 1_500, monotonic: 1_500 })
  })

  it('lets the wall clock jump back and forth while monotonic time and timers do not notice', async () => {
    const clock = new VirtualClock(start)
    const fired: string[] = []
    clock.timer(10, () => fired.push('ten'))

    clock.setWall(start + 86_400_000)
    await clock.advance(9)
    clock.setWall(start - 86_400_000)

    expect(fired).toEqual([])
    expect(clock.state()).toEqual({ now: start - 86_400_000, monotonic: 9 })
    await clock.advance(1)
    expect(fired).toEqual(['ten'])
    expect(clock.now()).toBe(start - 86_400_000 + 1)
  })

  it('goes on in another process where it stood in the first', async () => {
    const clock = new VirtualClock(start)
    await clock.advance(70)
    clock.setWall(start)

    const elsewhere = new VirtualClock(clock.state())

    expect(elsewhere.state()).toEqual({ now: start, monotonic: 70 })
  })
})

describe('timers of a virtual clock', () => {
  it('fire in the order in which they fall due, equal ones as they were set, each at its own time', async () => {
    const clock = new VirtualClock(start)
    const fired: string[] = []
    const note = (name: string) => () => fired.push(`${name} at ${clock.monotonic()}/${clock.now() - start}`)
    clock.timer(30, note('thirty'))
    clock.timer(10, note('ten'))
    clock.timer(30, note('thirty again'))
    clock.timer(31, note('later'))

    await clock.advance(30)

    expect(fired).toEqual(['ten at 10/10', 'thirty at 30/30', 'thirty again at 30/30'])
  })

  it('fire once', async () => {
    const clock = new VirtualClock(start)
    let times = 0
    clock.timer(10, () => (times += 1))

    await clock.advance(10)
    await clock.advance(10)

    expect(times).toBe(1)
  })

  it('fire also when they were set by a timer on the way', async () => {
    const clock = new VirtualClock(start)
    const fired: number[] = []
    const again = () => {
      fired.push(clock.monotonic())
      clock.timer(10, again)
    }
    clock.timer(10, again)

    await clock.advance(35)

    expect(fired).toEqual([10, 20, 30])
    expect(clock.monotonic()).toBe(35)
  })

  it('let pending promise callbacks run before, between and after', async () => {
    const clock = new VirtualClock(start)
    const order: string[] = []
    const pending: Promise<unknown>[] = []
    const later = async (name: string) => {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
      order.push(name)
    }
    pending.push(later('before').then(() => clock.timer(5, () => order.push('set before the first step'))))
    clock.timer(10, () => pending.push(later('between')))
    clock.timer(20, () => {
      order.push('second')
      pending.push(later('after'))
    })

    await clock.advance(20)
    const orderThen = [...order]
    await Promise.all(pending)

    expect(orderThen).toEqual(['before', 'set before the first step', 'between', 'second', 'after'])
  })

  it('do not fire once cancelled, not even by a timer due at the same time; cancelling again does nothing', async () => {
    const clock = new VirtualClock(start)
    const fired: string[] = []
    const cancelEarly = clock.timer(10, () => fired.push('cancelled early'))
    cancelEarly()
    clock.timer(20, () => cancelLate())
    const cancelLate = clock.timer(20, () => fired.push('cancelled late'))

    await clock.advance(20)
    cancelLate()
    await clock.advance(20)

    expect(fired).toEqual([])
  })

  it('of zero or less wait for the next advance, even for one of nothing', async () => {
    const clock = new VirtualClock(start)
    const fired: string[] = []
    clock.timer(0, () => fired.push('zero'))
    clock.timer(-5, () => fired.push('overdue'))

    expect(fired).toEqual([])
    await clock.advance(0)

    expect(fired).toEqual(['zero', 'overdue'])
    expect(clock.state()).toEqual({ now: start, monotonic: 0 })
  })

  it('are never early: parts of a millisecond are rounded up', async () => {
    const clock = new VirtualClock(start)
    const fired: number[] = []
    clock.timer(1.2, () => fired.push(clock.monotonic()))

    await clock.advance(1)
    expect(fired).toEqual([])
    await clock.advance(1)

    expect(fired).toEqual([2])
  })

  it('that throw end the advance at their time, and the clock can be advanced further', async () => {
    const clock = new VirtualClock(start)
    const fired: string[] = []
    clock.timer(10, () => {
      throw new Error('from a timer')
    })
    clock.timer(20, () => fired.push('twenty'))

    await expect(clock.advance(30)).rejects.toThrow('from a timer')
    expect(clock.monotonic()).toBe(10)
    await clock.advance(10)

    expect(fired).toEqual(['twenty'])
  })
})

describe('an advance that waits for work', () => {
  it('stands still until what was set off is settled', async () => {
    const clock = new VirtualClock(start)
    const seen: string[] = []
    let work: Promise<unknown> = Promise.resolve()
    const readFrom = (name: string): void => {
      work = readFile(new URL(import.meta.url)).then(() => seen.push(`${name} at ${clock.monotonic()}`))
    }
    clock.timer(10, () => readFrom('first'))
    clock.timer(20, () => readFrom('second'))

    await clock.advance(30, () => work)

    expect(seen).toEqual(['first at 10', 'second at 20'])
  })
})

describe('misuse of a virtual clock', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, 0.5])(
    'refuses %d as a start, a wall time or an advance',
    async (value) => {
      const clock = new VirtualClock(start)

      expect(() => new VirtualClock(value)).toThrow(TypeError)
      expect(() => new VirtualClock({ now: start, monotonic: value })).toThrow(TypeError)
      expect(() => clock.setWall(value)).toThrow(TypeError)
      await expect(clock.advance(value)).rejects.toThrow(TypeError)
      expect(clock.state()).toEqual({ now: start, monotonic: 0 })
    },
  )

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses a timer of %d', (value) => {
    expect(() => new VirtualClock(start).timer(value, () => {})).toThrow(TypeError)
  })

  it('refuses to advance backwards', async () => {
    await expect(new VirtualClock(start).advance(-1)).rejects.toThrow('setWall()')
  })

  it('refuses a second advance while one is under way', async () => {
    const clock = new VirtualClock(start)
    const first = clock.advance(10)

    await expect(clock.advance(10)).rejects.toThrow('already')
    await first

    expect(clock.monotonic()).toBe(10)
  })
})
