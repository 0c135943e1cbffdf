// The settings of `serve`: its options and the environment, checked with one line for each thing that is wrong.
import { databasePath, isPostgres, witnessPath } from '../database.ts'
import { environment } from '../environment.ts'
import { UsageError } from '../errors.ts'
import { KEYS_NEEDED } from './keys.ts'
import { isLoopback } from '../../http/auth/loopback.ts'
import { localKeyring } from '../../runtime/keys/local-keyring.ts'
import type { Keyring } from '../../runtime/ports.ts'
import { HOST_DEFAULT, PORT_DEFAULT, type ServeOptions, STOP_LIMIT_SECONDS_DEFAULT } from './options.ts'

/** What `serve` goes by. */
export interface Settings {
  readonly database: string
  /** The file that remembers the database outside it; null where nothing does. */
  readonly witness: string | null
  /** The file of the host's actions; null for the example. */
  readonly actionsFile: string | null
  /** Whether tokens are made for actions that bring no authentication. */
  readonly isDevelopment: boolean
  readonly host: string
  readonly port: number
  /** Whether development tokens may be used from other machines. */
  readonly isExposed: boolean
  /** Whether due work is done in this process. */
  readonly hasWorker: boolean
  /** How long open work may take to settle once the server is to stop. */
  readonly stopLimitMs: number
  /** The keys of the environment; null if they are in a file. */
  readonly keyring: Keyring | null
  readonly logLevel: LogLevel
}

const PORT_MAX = 65_535
const STOP_LIMIT_SECONDS_MAX = 3_600
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** From which severity on the log has entries. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Reads the settings. What an option says goes before what the environment says.
 * @throws UsageError with a line for each thing that is wrong; no value is repeated
 */
export function readSettings(options: ServeOptions): Settings {
  const wrong: string[] = []
  const read = <Value>(source: string, reading: () => Value, otherwise: Value): Value => {
    try {
      return reading()
    } catch (error) {
      wrong.push(`${source}: ${error instanceof Error ? error.message : ''}`)
      return otherwise
    }
  }
  const host = options.host ?? HOST_DEFAULT
  const isDevelopment = options.dev ?? false
  const isExposed = options.expose ?? false
  const isExample = options.actions === undefined
  const database = read(options.db === undefined ? 'DATABASE_URL' : '--db', () => databasePath(options.db), '')
  const settings: Settings = {
    database,
    witness: read(
      options.witness === undefined ? 'COUNTERSIGN_WITNESS' : '--witness',
      () => witnessPath(options.witness, database),
      null,
    ),
    actionsFile: options.actions ?? null,
    isDevelopment,
    host,
    port: read(options.port === undefined ? 'PORT' : '--port', () => port(options.port), PORT_DEFAULT),
    isExposed,
    hasWorker: options.worker ?? false,
    stopLimitMs: read('--stop-limit', () => stopLimitMs(options.stopLimit), 0),
    keyring: read('COUNTERSIGN_KEYS', environmentKeyring, null),
    logLevel: read('LOG_LEVEL', logLevel, 'info'),
  }
  if (host === '') wrong.push('--host: It must be a host name or an address.')
  if (isExample && settings.keyring === null && isPostgres(settings.database)) wrong.push(KEYS_NEEDED)
  if (isDevelopment && isExample) wrong.push('--dev: It is for --actions; the example always has development tokens.')
  if (isDevelopment && isExposed) wrong.push('--expose: It is for the example; --dev never leaves this machine.')
  if ((isExample || isDevelopment) && !isExposed && host !== '' && !isLoopback(host))
    wrong.push(remoteTokens(isExample))
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'))
  return settings
}

function remoteTokens(isExample: boolean): string {
  const sentence = '--host: Development tokens are for this machine alone, so the address must be one of loopback'
  return isExample ? `${sentence}, unless --expose says that others may use them.` : `${sentence}.`
}

function port(option: string | undefined): number {
  const text = option ?? environment('PORT')
  return text === null ? PORT_DEFAULT : wholeNumber(text, PORT_MAX)
}

function stopLimitMs(option: string | undefined): number {
  const seconds = option === undefined ? STOP_LIMIT_SECONDS_DEFAULT : wholeNumber(option, STOP_LIMIT_SECONDS_MAX)
  return seconds * 1_000
}

function wholeNumber(text: string, max: number): number {
  const number = /^(?:0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= max)) throw new UsageError(`It must be a whole number from 0 to ${max}.`)
  return number
}

function environmentKeyring(): Keyring | null {
  const text = environment('COUNTERSIGN_KEYS')
  return text === null ? null : localKeyring(text)
}

function logLevel(): LogLevel {
  const text = environment('LOG_LEVEL')
  const level = LOG_LEVELS.find((one) => one === (text ?? 'info'))
  if (level === undefined) throw new UsageError(`It must be one of ${LOG_LEVELS.join(', ')}.`)
  return level
}
