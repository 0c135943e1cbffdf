// The outside world of a peer: it books what it is asked to, and can be asked whether each was booked exactly once.
import assert from 'node:assert/strict'

/** What an intent carries beside its name, as long as the snapshot of a real one. */
export const NOTE = 'n'.repeat(1_000)

export function effects() {
  const booked = new Map()
  let started = 0
  let done = 0
  return {
    /** The name of the next transfer. */
    next() {
      started += 1
      return `transfer ${started}`
    },
    book(name) {
      booked.set(name, (booked.get(name) ?? 0) + 1)
    },
    isBooked: (name) => booked.has(name),
    done() {
      done += 1
    },
    async assertOnce() {
      assert.equal(booked.size, done)
      assert([...booked.values()].every((times) => times === 1))
    },
  }
}
