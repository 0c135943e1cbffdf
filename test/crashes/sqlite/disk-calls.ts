// What a process did to its files, read from the log of strace, and done again to files in memory: as far as one likes.
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A call that may change what is on the disk, in the order of the log. */
export type DiskCall = { readonly path: string; readonly isFailed: boolean } & (
  | { readonly name: 'pwrite64'; readonly data: Buffer; readonly at: number }
  | { readonly name: 'write'; readonly data: Buffer }
  | { readonly name: 'ftruncate'; readonly length: number }
  | { readonly name: 'openat' | 'unlink' | 'fsync' | 'fdatasync' }
)

/** The calls by their names; of no other does SQLite or the ledger make use to change a file. */
const DISK_CALLS = ['pwrite64', 'write', 'fsync', 'fdatasync', 'ftruncate', 'openat', 'unlink'] as const
/** Others that would; a log that has one is not understood. */
const FOREIGN_CALLS = [
  'pwritev',
  'pwritev2',
  'writev',
  'truncate',
  'fallocate',
  'rename',
  'renameat2',
  'unlinkat',
] as const

/** For `-e trace=`: what the log must tell for {@link diskCallsIn}. */
export const TRACED: readonly string[] = [...DISK_CALLS, ...FOREIGN_CALLS]

const FORMS: Readonly<Record<DiskCall['name'], RegExp>> = {
  pwrite64: /^\d+<(?<path>[^>]*)>, "(?<data>[^"]*)", \d+, (?<at>\d+)$/u,
  write: /^\d+<(?<path>[^>]*)>, "(?<data>[^"]*)", \d+$/u,
  ftruncate: /^\d+<(?<path>[^>]*)>, (?<length>\d+)$/u,
  fsync: /^\d+<(?<path>[^>]*)>$/u,
  fdatasync: /^\d+<(?<path>[^>]*)>$/u,
  openat: /^AT_FDCWD<[^>]*>, "(?<path>[^"]*)", .*$/u,
  unlink: /^"(?<path>[^"]*)"$/u,
}

/** How a process ended, which signal it got, and the end of the call in which it was killed. */
const NO_CALL = / \+\+\+ | --- |<\.\.\. \w+ resumed>.*= \?/u

/** The calls of a log that was written with `-f -y -xx` and strings in full. @throws Error for a line that it does not know */
export function diskCallsIn(log: string): readonly DiskCall[] {
  return log
    .split('\n')
    .filter((line) => line !== '' && !NO_CALL.test(line))
    .map(diskCallOf)
}

function diskCallOf(line: string): DiskCall {
  // A process that is killed in a call leaves it without an answer, or without its end.
  const parts =
    /^\d+ +(?<name>\w+)\((?<input>.*?)(?:\) += (?<answer>-?\d+|\?).*| <unfinished \.\.\.>\)? *(?:= \?)?)$/u.exec(
      line,
    )?.groups
  const name = DISK_CALLS.find((one) => one === parts?.['name'])
  const fields = name === undefined ? null : FORMS[name].exec(parts?.['input'] ?? '')?.groups
  if (name === undefined || fields === null || fields === undefined) {
    throw new Error(`the log has a line that is not understood: ${line.slice(0, 120)} … ${line.slice(-60)}`)
  }
  const path = unescaped(fields['path'] ?? '').toString('utf8')
  const isFailed = !/^\d/u.test(parts?.['answer'] ?? '')
  const data = unescaped(fields['data'] ?? '')
  if (name === 'pwrite64') return { name, path, isFailed, data, at: Number(fields['at']) }
  if (name === 'write') return { name, path, isFailed, data }
  if (name === 'ftruncate') return { name, path, isFailed, length: Number(fields['length']) }
  return { name, path, isFailed }
}

function unescaped(text: string): Buffer {
  return Buffer.from(text.replaceAll(String.raw`\x`, ''), 'hex')
}

interface File {
  content: Buffer
  /** What a sync has made sure of. */
  synced: Buffer
  pending: DiskCall[]
}

/** Files in memory. */
export class Disk {
  readonly #files = new Map<string, File>()

  /** Does what the call did. */
  apply(call: DiskCall): void {
    if (call.isFailed) return
    if (call.name === 'unlink') {
      this.#files.delete(call.path)
      return
    }
    const file = this.#files.get(call.path) ?? { content: Buffer.alloc(0), synced: Buffer.alloc(0), pending: [] }
    this.#files.set(call.path, file)
    if (call.name === 'fsync' || call.name === 'fdatasync') {
      file.synced = Buffer.from(file.content)
      file.pending = []
    } else if (call.name !== 'openat') {
      file.content = changed(file.content, call)
      file.pending.push(call)
    }
  }

  /** What a file holds; null if there is none. */
  content(path: string): Buffer | null {
    return this.#files.get(path)?.content ?? null
  }

  /** Writes files into a folder, as they are for whoever reads them after the process has gone. */
  writeTo(folder: string, paths: readonly string[]): void {
    for (const [path, { content }] of this.#of(paths)) writeFileSync(join(folder, basename(path)), content)
  }

  /**
   * As they may be after the power has gone: what was synced is there, and of what was written since, in whatever order,
   * what `keeps` says. That a file was made or removed is never lost here.
   */
  writeAfterPowerLoss(folder: string, paths: readonly string[], keeps: () => boolean): void {
    for (const [path, { synced, pending }] of this.#of(paths)) {
      const content = pending.filter(keeps).reduce(changed, Buffer.from(synced))
      writeFileSync(join(folder, basename(path)), content)
    }
  }

  #of(paths: readonly string[]): readonly (readonly [string, File])[] {
    return [...this.#files].filter(([path]) => paths.includes(path))
  }
}

function changed(content: Buffer, call: DiskCall): Buffer {
  switch (call.name) {
    case 'pwrite64':
      return overwritten(content, call.data, call.at)
    case 'write':
      return Buffer.concat([content, call.data])
    case 'ftruncate':
      return Buffer.concat([content.subarray(0, call.length)], call.length)
    case 'openat':
    case 'unlink':
    case 'fsync':
    case 'fdatasync':
      return content
  }
}

function overwritten(content: Buffer, data: Buffer, at: number): Buffer {
  const end = at + data.length
  const grown = end > content.length ? Buffer.concat([content], end) : content
  data.copy(grown, at)
  return grown
}
