// The memory store keeps the contract of stores.
import { describe, it } from 'vitest'
import { memoryStore } from '../../src/store/memory-store.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'

storeConformance({
  describe,
  it,
  // Nothing outlives it, nobody shares it and there is no SQL to reach it by.
  abilities: [],
  async open() {
    const store = memoryStore()
    return { store, close: () => store.close() }
  },
})
