// How the tests run: against the sources, with full coverage demanded of the pure rooms.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['countersign-source'] },
  ssr: { resolve: { conditions: ['countersign-source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
