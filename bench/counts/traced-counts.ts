// Counts of the system: what a process that strace watches syncs and writes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { hasStrace } from '../../tools/strace.ts'
import { MARKS, type Traced } from './traced-names.ts'

/** What one lifecycle takes, on the average. */
export interface TracedCounts {
  readonly syncs: number
  /** Written to the database and its log, checkpoints included. */
  readonly diskBytes: number
}

const CALLS = 'fsync,fdatasync,pwrite64,access,faccessat,faccessat2,statx'

/** Null where there is no strace: nothing else counts syncs without changing the store. */
export async function tracedCounts(
  name: Traced,
  folder: string,
  inFlight: number,
  units: number,
): Promise<TracedCounts | null> {
  if (!hasStrace()) return null
  const trace = join(folder, `${name}-${inFlight}.strace`)
  const file = join(folder, `${name}-${inFlight}.db`)
  const program = fileURLToPath(new URL('../servers/traced-lifecycles.ts', import.meta.url))
  // With the path of what each call is about: temporary files are none of the store's.
  const strace = ['-f', '-y', '-qq', '--seccomp-bpf', '-e', `trace=${CALLS}`, '-o', trace]
  const node = [process.execPath, '--conditions=countersign-source', program, name, file, `${inFlight}`, `${units}`]
  const child = spawn('strace', [...strace, ...node], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`The traced process ended with ${code}`)
  const lines = (await readFile(trace, 'utf8')).split('\n')
  const begin = lines.findIndex((line) => line.includes(MARKS.begin))
  const end = lines.findIndex((line) => line.includes(MARKS.end))
  if (begin === -1 || end < begin) throw new Error('The trace does not show where the counting begins and ends')
  const counted = lines.slice(begin + 1, end)
  const syncs = counted.filter((line) => /\bf(?:data)?sync\(/u.test(line)).length
  const written = counted.filter((line) => line.includes(`<${file}`)).map(bytesOf)
  return { syncs: syncs / units, diskBytes: written.reduce((sum, bytes) => sum + bytes, 0) / units }
}

function bytesOf(line: string): number {
  return Number(/\bpwrite64\(.* = (\d+)$/u.exec(line)?.[1] ?? 0)
}
