// Runs the script under strace: watched, or killed or refused at a call on its files.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { TRACED } from './disk-calls.ts'

/** The script's process: where it works, and under which keys. */
export interface Performance {
  readonly database: string
  readonly book: string
  readonly keys: string
  readonly startAt: number
  readonly seed: number
}

/** What is done to it: the end of `strace -e inject=`, such as `pwrite64:signal=KILL:when=3`. */
export interface Injection {
  readonly inject: string | null
  /** Where strace writes its log; with every byte if `inject` is null. */
  readonly log: string
}

/** Runs the script until its end. Answers how it ended. */
export async function performUnderStrace(
  performance: Performance,
  { inject, log }: Injection,
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  const { database, book } = performance
  const files = ['', '-wal', '-shm', '-journal'].map((end) => `${database}${end}`)
  const call = inject?.split(':')[0]
  // A signal cannot be given where a call is noticed through seccomp, which otherwise is faster by half.
  const isSignal = inject?.includes('signal=') === true
  const isError = inject?.includes('error=') === true
  const options = [
    '-qq',
    '-f',
    '-y',
    ...(isSignal ? [] : ['--seccomp-bpf']),
    ...(isError ? [] : ['-xx', '-s', '1000000']),
    ...(inject === null ? [] : ['-e', `inject=${inject}`]),
    '-e',
    `trace=${isError ? call : TRACED.join(',')}`,
    // The ledger is outside of what fails, and would be counted.
    ...[...files, ...(inject === null ? [book] : [])].flatMap((path) => ['-P', path]),
    '-o',
    log,
  ]
  const child = spawn('strace', [...options, process.execPath, ...nodeArguments(performance)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return endOf(child)
}

/** The same without strace, with a limit of so many blocks of 512 bytes on the size of a file if one is given. */
export async function perform(
  performance: Performance,
  fileBlocksMax: number | null,
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  const limit = fileBlocksMax === null ? '' : `ulimit -f ${fileBlocksMax}; `
  const shell = ['-c', `${limit}exec "$@"`, 'sh', process.execPath, ...nodeArguments(performance)]
  return endOf(spawn('sh', shell, { stdio: ['ignore', 'ignore', 'inherit'] }))
}

function nodeArguments({ database, book, keys, startAt, seed }: Performance): readonly string[] {
  const program = fileURLToPath(new URL('./life-process.ts', import.meta.url))
  return ['--conditions=countersign-source', program, database, book, keys, String(startAt), String(seed)]
}

async function endOf(child: ChildProcess): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return { code, signal }
}
