// Rules about who may import whom: the arrows between the rooms, and which packages a room may know.
import { importedPath, type ModuleImport, type ParsedFile } from '../../tools/parsed-file.ts'
import { type Rule, roomOf } from './rule.ts'

/** What each room may import besides itself. A file is named where a room may see only its types. */
const arrows: Readonly<Record<string, { readonly rooms: readonly string[]; readonly types: readonly string[] }>> = {
  effect: { rooms: [], types: [] },
  proposal: { rooms: ['effect'], types: [] },
  runtime: { rooms: ['proposal', 'effect'], types: [] },
  store: { rooms: ['proposal', 'effect'], types: ['src/runtime/ports.ts'] },
  http: { rooms: ['runtime', 'proposal', 'effect'], types: [] },
  testing: { rooms: ['runtime', 'proposal', 'effect'], types: ['src/store/'] },
  cli: { rooms: ['http', 'testing', 'store', 'runtime', 'proposal', 'effect', 'door'], types: [] },
  door: { rooms: ['http', 'store', 'runtime', 'proposal', 'effect'], types: [] },
}

/** The one door that opens to what goes wrong on purpose. */
const testingDoor = 'src/testing.ts'

/** The packages that a room may import; `node:` stands for all of Node's own modules. Assertions are not I/O. */
const packages: Readonly<Record<string, readonly string[]>> = {
  effect: ['node:assert/strict'],
  proposal: ['zod', 'node:assert/strict'],
  runtime: ['zod', 'ulid', 'node:'],
  store: ['zod', 'kysely', 'better-sqlite3', 'pg', 'node:'],
  http: ['zod', 'hono', 'hono-openapi', '@hono/node-server', 'jose', 'prom-client', 'node:'],
  testing: ['zod', 'better-sqlite3', 'node:'],
  cli: ['zod', 'commander', '@hono/node-server', 'pino', 'node:'],
  door: [],
}

/** The two files of the pure rooms that may use one module of Node each, and why. */
const pureNodeModules: Readonly<Record<string, string>> = {
  'src/effect/hash.ts': 'node:crypto', // hashing is arithmetic
  'src/effect/canonical-json.ts': 'node:util', // a proxy can be told from a plain object in no other way
}

/** The files that load what a user names on the command line, whatever it is. */
const hostFileLoaders = new Set([
  'src/cli/crashtest/load-scenario.ts',
  'src/cli/safety/suite-main.ts',
  'src/cli/serve/actions-file.ts',
])

const relative = (entry: ModuleImport): boolean => entry.specifier.startsWith('.')

function arrowFindings(file: ParsedFile): string[] {
  const room = roomOf(file.path)
  if (room === null) return []
  const allowed = arrows[room]
  if (allowed === undefined) return [`the room ${room} is not among the rooms of the architecture`]
  return file.imports.filter(relative).flatMap((entry) => {
    const target = importedPath(file.path, entry.specifier)
    const targetRoom = roomOf(target)
    if (targetRoom === null) return [`imports ${target}, which is not in src`]
    if (targetRoom === room || allowed.rooms.includes(targetRoom)) return []
    if (file.path === testingDoor && targetRoom === 'testing') return []
    if (!allowed.types.some((start) => target.startsWith(start))) return [`${room} may not import ${target}`]
    return entry.kind === 'type' ? [] : [`${room} may import only types of ${target}`]
  })
}

function packageFindings(file: ParsedFile): string[] {
  const room = roomOf(file.path)
  if (room === null) return []
  const allowed = packages[room] ?? []
  return file.imports
    .filter((entry) => !relative(entry) && pureNodeModules[file.path] !== entry.specifier)
    .filter(({ specifier }) => !(specifier === '(computed)' && hostFileLoaders.has(file.path)))
    .filter(({ specifier }) => {
      const isNode = specifier.startsWith('node:') && allowed.includes('node:')
      return !isNode && !allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))
    })
    .map(({ specifier }) => `${room} may not import ${specifier}`)
}

const importArrows: Rule = {
  title: 'imports follow the arrows between the rooms',
  findings: arrowFindings,
  examples: {
    broken: [
      { path: 'src/effect/a.ts', text: "import type { Proposal } from '../proposal/proposal.ts'" },
      { path: 'src/proposal/a.ts', text: "import { run } from '../runtime/run.ts'" },
      { path: 'src/proposal/a.ts', text: "export { run } from '../runtime/run.ts'" },
      { path: 'src/runtime/a.ts', text: "import { open } from '../store/sqlite.ts'" },
      { path: 'src/runtime/a.ts', text: "const open = await import('../store/sqlite.ts')" },
      { path: 'src/runtime/a.ts', text: "type Faults = import('../testing/faults.ts').Faults" },
      { path: 'src/runtime/a.ts', text: "import { fault } from '../testing.ts'" },
      { path: 'src/store/a.ts', text: "import { systemClock } from '../runtime/system-clock.ts'" },
      { path: 'src/store/a.ts', text: "import { type Store, assertStore } from '../runtime/ports.ts'" },
      { path: 'src/testing/a.ts', text: "import { open } from '../store/sqlite.ts'" },
      { path: 'src/http/a.ts', text: "import { main } from '../cli/main.ts'" },
      { path: 'src/index.ts', text: "import { main } from './cli/main.ts'" },
      { path: 'src/index.ts', text: "export { faults } from './testing/faults.ts'" },
      { path: 'src/shared/a.ts', text: "import { b } from './b.ts'" },
      { path: 'src/effect/a.ts', text: "import { helper } from '../../test/helper.ts'" },
    ],
    kept: [
      { path: 'src/proposal/a.ts', text: "import { hash } from '../effect/hash.ts'" },
      { path: 'src/store/a.ts', text: "import type { Store } from '../runtime/ports.ts'" },
      { path: 'src/store/a.ts', text: "import { type Store, type Change } from '../runtime/ports.ts'" },
      { path: 'src/index.ts', text: "export { memoryStore } from './store/memory.ts'" },
      { path: 'src/testing.ts', text: "export { faults } from './testing/faults.ts'" },
    ],
  },
}

const roomPackages: Rule = {
  title: 'a room imports only the packages that it may know',
  findings: packageFindings,
  examples: {
    broken: [
      { path: 'src/effect/a.ts', text: "import { createHash } from 'node:crypto'" },
      { path: 'src/effect/hash.ts', text: "import { readFileSync } from 'node:fs'" },
      { path: 'src/proposal/a.ts', text: "import { inspect } from 'node:util'" },
      { path: 'src/runtime/a.ts', text: "import { Kysely } from 'kysely'" },
      { path: 'src/runtime/a.ts', text: "import type Database from 'better-sqlite3'" },
      { path: 'src/runtime/a.ts', text: "const driver = createRequire(import.meta.url)('better-sqlite3')" },
      { path: 'src/runtime/a.ts', text: 'const driver = await import(name)' },
      { path: 'src/store/a.ts', text: "import { zodiac } from 'zodiac'" },
      { path: 'src/store/a.ts', text: "import { Hono } from 'hono'" },
    ],
    kept: [
      { path: 'src/effect/hash.ts', text: "import { createHash } from 'node:crypto'" },
      { path: 'src/effect/canonical-json.ts', text: "import { types } from 'node:util'" },
      { path: 'src/proposal/a.ts', text: "import { z } from 'zod'" },
      { path: 'src/effect/a.ts', text: "import assert from 'node:assert/strict'" },
      { path: 'src/store/a.ts', text: "import { Migrator } from 'kysely/migration'" },
      { path: 'src/runtime/a.ts', text: "import { randomBytes } from 'node:crypto'" },
    ],
  },
}

/** The rules of this file. */
export const importRules: readonly Rule[] = [importArrows, roomPackages]
