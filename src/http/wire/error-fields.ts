// What the log says of an error: its class and its address, never its message, which may quote private things.
import { StoredDataCorrupt } from '../../proposal/errors.ts'

const CLASS_NAME = /^[A-Za-z]{1,64}$/
/** A line of a stack: a function and a place in a file. The message stands above those lines and has no such form. */
const FRAME = /^ {4}at (?:[\w.<>$[\] ]{1,120} \()?(?:file:\/\/|node:|\/)[^\s()]{1,300}:\d+:\d+\)?$/gm
const FRAMES_MAX = 8

/** Fields for a structured log. Spec: reliability T40, T41. */
export function errorFields(error: unknown): Readonly<Record<string, string | null>> {
  if (!(error instanceof Error)) return { error: typeof error, cause: null, at: null, address: null }
  return {
    error: className(error),
    cause: error.cause instanceof Error ? className(error.cause) : null,
    at: framesOf(error),
    address: error instanceof StoredDataCorrupt ? error.address : null,
  }
}

/** Of the class and not of the instance, whose `name` may have been written by anybody. */
function className(error: Error): string {
  const { name } = error.constructor
  return CLASS_NAME.test(name) ? name : 'Error'
}

function framesOf({ stack = '', message }: Error): string | null {
  const frames = stack.replace(message, '').match(FRAME)
  return frames === null
    ? null
    : frames
        .slice(0, FRAMES_MAX)
        .map((frame) => frame.trim())
        .join(' | ')
}
