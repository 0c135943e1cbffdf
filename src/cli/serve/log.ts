// The log of the service: JSON lines on standard error, in which only fields from a list appear.
import type { Logger } from '../../runtime/ports.ts'
import { needed } from './needed.ts'
import type { LogLevel } from './settings.ts'

type Fields = Parameters<Logger['info']>[0]

/**
 * Codes, references, counts and durations. A field that is not here is left out, whoever hands it in: what is new must be
 * looked at before it is written to where others read.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  'requestId',
  'method',
  'route',
  'status',
  'durationMs',
  'proposal',
  'tenant',
  'action',
  'duty',
  'outcome',
  'code',
  'reason',
  'attempt',
  'trouble',
  'open',
  'signal',
  'error',
  'cause',
  'at',
  'address',
  'url',
  'file',
])

/** The fields that may be written. */
export function allowedFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => ALLOWED.has(name)))
}

/** A logger that writes what is at least of this level. @throws Unavailable if pino is not installed */
export async function serviceLog(level: LogLevel): Promise<Logger> {
  const { pino } = await needed(async () => import('pino'))
  // Written before the call returns: what was logged last is what matters when a process is killed.
  const log = pino(
    {
      level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: 2, sync: true }),
  )
  return {
    info: (fields, message) => log.info(allowedFields(fields), message),
    warn: (fields, message) => log.warn(allowedFields(fields), message),
    error: (fields, message) => log.error(allowedFields(fields), message),
  }
}
