// How the tests run: against the sources, with full coverage demanded of the pure rooms by their own tests.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['countersign-source'] },
  ssr: { resolve: { conditions: ['countersign-source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/fixed-seed.ts'],
    globalSetup: ['test/postgres/shared-servers.ts'],
    // Generous: a test that waits this long hangs, and none is judged by how fast it was.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['src/effect/**', 'src/proposal/**'],
      reporter: ['text'],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
})
