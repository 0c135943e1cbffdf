// How the tests run: against the sources, with full coverage demanded of the pure rooms by their own tests.
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { findChromium } from './tools/chromium.ts'
import { hasStrace } from './tools/strace.ts'

const hasBrowser = findChromium() !== null
if (!hasBrowser) {
  process.stderr.write(
    'The tests in test/browser were not run, as no Chromium was found: install it, or name it with CHROMIUM=PATH.\n',
  )
}
const isTraceable = hasStrace()
if (!isTraceable) {
  process.stderr.write(
    'The tests in test/crashes/sqlite were not run, as no strace was found that may watch a process: install it.\n',
  )
}
const withoutTools = [
  ...(hasBrowser ? [] : ['test/browser/**']),
  ...(isTraceable ? [] : ['test/crashes/sqlite/*.test.ts']),
]

export default defineConfig({
  resolve: { conditions: ['countersign-source'] },
  ssr: { resolve: { conditions: ['countersign-source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...withoutTools],
    setupFiles: ['test/fixed-seed.ts'],
    globalSetup: ['test/postgres/shared-servers.ts'],
    // Many wait for processes of their own, so two at once are quicker on any machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Generous: a test that waits this long hangs, and none is judged by how fast it was.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    coverage: {
      provider: 'v8',
      include: ['src/effect/**', 'src/proposal/**'],
      reporter: ['text'],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
})
