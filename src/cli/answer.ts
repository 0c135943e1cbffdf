// Answers: what a command found, as lines for a person and as one value for a program, and how it exits.
import process from 'node:process'
import type { CommonOptions } from './command.ts'
import type { ExitCode } from './exit-codes.ts'
import { printable, printableJson } from './printable.ts'

/** What a command answers. It writes nothing by itself, so that `--json` is the same value everywhere. */
export interface Answer {
  readonly exit: ExitCode
  /** For `--json`: printed as one line. */
  readonly data: unknown
  /** For a person, line by line. */
  readonly lines: readonly string[]
}

/** Writes the answer to standard output, and sets the code with which the process will exit when all is written. */
export function give(answer: Answer, { json = false }: CommonOptions): void {
  const lines = json ? [printableJson(answer.data)] : answer.lines.map(printable)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  process.exitCode = answer.exit
}
