// Rules about words: what the pure rooms never say, and where time, chance and output may come from.
import { isPure, matchesIn, type Rule, roomOf } from './rule.ts'

/** Where the time is read: for the runtime, for a store, which is its own judge of time, and for the business system. */
const clockFiles = new Set([
  'src/runtime/system-clock.ts',
  'src/store/store-time.ts',
  'src/testing/business-system/main.ts',
])
const idsFile = 'src/runtime/system-ids.ts'

/** A clock, chance, the process, waiting: everything that may give another answer tomorrow. */
const impureWords = new RegExp(
  [
    /\bawait\b|\basync\b|\bfetch\(|\bqueueMicrotask\b|\bset(?:Timeout|Interval|Immediate)\b/,
    /\bDate\.now\b|\bnew Date\b|(?<!\.)\bDate\(|\bperformance\b/,
    /\bMath\.random\b|\bcrypto\b|\brandom(?:Bytes|UUID|Int)\b/,
    /\bprocess\b|\bglobalThis\b/,
  ]
    .map((pattern) => pattern.source)
    .join('|'),
  'g',
)

const pureWords: Rule = {
  title: 'effect and proposal never await, read no clock, draw no randomness and do no I/O',
  findings: (file) => (isPure(file.path) ? matchesIn(file.code, impureWords) : []),
  examples: {
    broken: [
      { path: 'src/effect/a.ts', text: 'export const now = () => Date.now()' },
      { path: 'src/effect/a.ts', text: 'export const today = new Date()' },
      { path: 'src/effect/a.ts', text: 'export const today = Date()' },
      { path: 'src/proposal/a.ts', text: 'export async function decide(): Promise<void> {}' },
      { path: 'src/proposal/a.ts', text: 'export const dice = Math.random()' },
      { path: 'src/proposal/a.ts', text: 'export const home = process.env.HOME' },
      { path: 'src/proposal/a.ts', text: 'setTimeout(() => {}, 1)' },
      { path: 'src/proposal/a.ts', text: 'export const id = crypto.randomUUID()' },
      { path: 'src/effect/a.ts', text: 'export const text = `at ${Date.now()}`' },
    ],
    kept: [
      { path: 'src/effect/a.ts', text: '// Date.now() is read by the caller, who may await it.\nexport const x = 1' },
      { path: 'src/effect/a.ts', text: "export const message = 'process the refund, then await `new Date`'" },
      { path: 'src/effect/a.ts', text: 'export const text = `await the process`' },
      { path: 'src/effect/a.ts', text: 'export const processed = [1].map((awaited) => awaited)' },
      { path: 'src/runtime/a.ts', text: 'export const wait = async (): Promise<void> => {}' },
    ],
  },
}

const oneClock: Rule = {
  title: 'the time is read in the files named for it and handed in everywhere else',
  findings(file) {
    if (roomOf(file.path) === null || clockFiles.has(file.path)) return []
    return matchesIn(file.code, /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bprocess\.hrtime\b/g)
  },
  examples: {
    broken: [
      { path: 'src/runtime/a.ts', text: 'export const now = Date.now()' },
      { path: 'src/store/a.ts', text: 'export const now = Date.now' },
      { path: 'src/testing/a.ts', text: 'export const now = new Date()' },
      { path: 'src/testing/business-system/server.ts', text: 'export const now = Date.now()' },
      { path: 'src/runtime/a.ts', text: 'export const begun = performance.now()' },
    ],
    kept: [
      { path: 'src/runtime/system-clock.ts', text: 'export const now = () => Date.now()' },
      { path: 'src/runtime/a.ts', text: 'export const written = (at: number) => new Date(at).toISOString()' },
    ],
  },
}

const oneSourceOfIds: Rule = {
  title: 'ids are drawn in one file, and nothing draws lots',
  findings(file) {
    if (roomOf(file.path) === null) return []
    const ids = file.path === idsFile ? [] : matchesIn(file.code, /\brandomUUID\b|\bulid\b|\bmonotonicFactory\b/g)
    return [...ids, ...matchesIn(file.code, /\bMath\.random\b/g)]
  },
  examples: {
    broken: [
      { path: 'src/store/a.ts', text: 'export const jitter = Math.random()' },
      { path: idsFile, text: 'export const jitter = Math.random()' },
      { path: 'src/runtime/a.ts', text: "import { ulid } from 'ulid'\nexport const id = ulid()" },
      { path: 'src/store/a.ts', text: "import { randomUUID } from 'node:crypto'" },
    ],
    kept: [{ path: idsFile, text: "import { monotonicFactory } from 'ulid'\nexport const next = monotonicFactory()" }],
  },
}

/** The programs among the sources: only a program owns the console. */
const programs = /^src\/(?:cli|testing\/business-system)\//

const noConsole: Rule = {
  title: 'only programs write to the console',
  findings(file) {
    if (roomOf(file.path) === null || programs.test(file.path)) return []
    return matchesIn(file.code, /\bconsole\b|\bprocess\.std(?:out|err)\b/g)
  },
  examples: {
    broken: [
      { path: 'src/runtime/a.ts', text: "console.log('x')" },
      { path: 'src/testing/a.ts', text: "process.stderr.write('x')" },
      { path: 'src/index.ts', text: "console.warn('x')" },
    ],
    kept: [
      { path: 'src/cli/a.ts', text: "console.log('x')" },
      { path: 'src/testing/business-system/server.ts', text: "console.error('x')" },
      { path: 'src/runtime/a.ts', text: '// Nothing goes to the console here.' },
    ],
  },
}

/** The rules of this file. */
export const wordRules: readonly Rule[] = [pureWords, oneClock, oneSourceOfIds, noConsole]
