// The part of a contract that says what is done without anybody asking: execution once approved, and erasure after a time.
import { EXECUTIONS, type Execution } from '../contract.ts'
import { readDuration, readFields, type Report } from './contract-reader.ts'

/** After how long content goes, in milliseconds; null where it is kept. */
export interface Retention {
  readonly settledMs: number | null
  readonly closedMs: number | null
}

/** Who begins the execution. */
export function readExecution(report: Report, value: unknown): Execution {
  const execution = value === undefined ? 'on_request' : EXECUTIONS.find((one) => one === value)
  if (execution === undefined) report('/execution', 'execution_unknown')
  return execution ?? 'on_request'
}

/** How long content is kept. Spec: lifecycle 3. */
export function readRetention(report: Report, value: unknown): Retention {
  const input = value === undefined ? {} : readFields(report, value, '/retention', ['settled', 'closed'])
  const read = (field: string): number | null => {
    if (input[field] === undefined) return null
    return readDuration(report, input[field], `/retention/${field}`, { maxMs: Number.MAX_SAFE_INTEGER })
  }
  return { settledMs: read('settled'), closedMs: read('closed') }
}
