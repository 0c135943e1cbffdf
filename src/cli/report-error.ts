// Reports an error of a command: one sentence on standard error, and the exit code that it means.
import process from 'node:process'
import { HttpRefusal, PROBLEMS } from '../http/wire/http-refusals.ts'
import { Refusal } from '../proposal/errors.ts'
import { URL_DEFAULT } from './environment.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { printable } from './printable.ts'

/**
 * Says what went wrong, without a stack unless `verbose`, and answers the exit code. An error that no part of the library
 * names is not quoted: its text could hold anything.
 */
export function reportError(error: unknown, options: { readonly verbose: boolean }): ExitCode {
  const { sentence, exit } = judged(error)
  const advice = error instanceof Error && 'code' in error ? (ADVICE.get(error.code) ?? '') : ''
  process.stderr.write(`countersign: ${`${sentence}${advice}`.split('\n').map(printable).join('\n')}\n`)
  if (options.verbose) process.stderr.write(`${tracesOf(error).join('\ncaused by ')}\n`)
  return exit
}

interface Judged {
  readonly sentence: string
  readonly exit: ExitCode
}

/** The named errors that are no refusals, by their codes. Whatever could not be loaded or reached says nothing. */
const EXIT_OF_CODE: ReadonlyMap<unknown, ExitCode> = new Map<unknown, ExitCode>([
  ['usage', EXIT.usage],
  ['unavailable', EXIT.unavailable],
  ['keyring_unusable', EXIT.unavailable],
  ['reference_key_changed', EXIT.unavailable],
  ['definition_error', EXIT.unavailable],
  ['unreachable', EXIT.unavailable],
  ['answer_lost', EXIT.unavailable],
  ['malformed_answer', EXIT.unavailable],
])

/** What the sentence of the client cannot know: where the command line has its address and its token from. */
const ADVICE: ReadonlyMap<unknown, string> = new Map([
  ['unreachable', ` COUNTERSIGN_URL says where it is, by default ${URL_DEFAULT}.`],
  ['unauthenticated', ' COUNTERSIGN_TOKEN must hold a token that the server knows.'],
])

/** From here on a status says that nobody could answer; below it the answer is no. */
const NO_ANSWER = 500

function judged(error: unknown): Judged {
  if (!(error instanceof Error)) return unexpected(typeof error)
  if (error instanceof Refusal || error instanceof HttpRefusal) {
    const { http } = PROBLEMS[error.code]
    // Without a session that holds nothing is known either.
    const isAnswer = http < NO_ANSWER && error.code !== 'unauthenticated'
    return { sentence: error.message, exit: isAnswer ? EXIT.failed : EXIT.unavailable }
  }
  const exit = EXIT_OF_CODE.get('code' in error ? error.code : null)
  return exit === undefined ? unexpected(error.name) : { sentence: error.message, exit }
}

function unexpected(name: string): Judged {
  return { sentence: `Something unexpected went wrong (${name}); --verbose shows where.`, exit: EXIT.unavailable }
}

function tracesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  return [error.stack ?? error.name, ...tracesOf(error.cause)]
}
