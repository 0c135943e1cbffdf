// The logger of a runtime that was given none.
import type { Logger } from './ports.ts'

/** Says nothing. */
export const SILENT: Logger = { info() {}, warn() {}, error() {} }
