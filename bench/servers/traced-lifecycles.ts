// Lifecycles on a SQLite file in a process that strace watches: it says where the counting begins and ends.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { sqliteStore } from 'countersign/sqlite'
import { inLanes } from '../counts/in-lanes.ts'
import { MARKS, type Traced, TRACED } from '../counts/traced-names.ts'
import { lifecycles } from '../lifecycles.ts'
import type { Loop } from '../loop.ts'
import { recordedLifecycle } from '../loops/recorded-lifecycle.ts'
import { sqliteGroupLoop, sqliteSerialLoop } from '../loops/sqlite-loops.ts'

const makers: Readonly<Record<Traced, (file: string) => Promise<Loop>>> = {
  countersign: async (file) => lifecycles(await sqliteStore(file)),
  serial: async (file) => sqliteSerialLoop(file, await recordedLifecycle(), false),
  group: async (file) => sqliteGroupLoop(file, await recordedLifecycle(), false),
}

const [, , named, file = '', inFlight, units] = process.argv
const name = TRACED.find((known) => known === named)
assert(name !== undefined)
const loop = await makers[name](file)
await inLanes(Number(inFlight), Number(inFlight), loop.run)
// Nothing is there: what strace sees is that it was looked for.
existsSync(MARKS.begin)
await inLanes(Number(units), Number(inFlight), loop.run)
existsSync(MARKS.end)
await loop.assertOnce()
await loop.close()
