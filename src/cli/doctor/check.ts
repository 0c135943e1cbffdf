// A check of the doctor: what was looked at, how it was found, and one sentence about it.
import { StoreUnavailable } from '../../proposal/errors.ts'
import { KeyringError } from '../../runtime/keys/local-keyring.ts'
import { Unavailable } from '../errors.ts'

/** What is looked at, in this order. */
export const CHECKS = [
  'node',
  'driver',
  'database',
  'migrations',
  'keys',
  'restore',
  'clock',
  'receipts',
  'evidence',
] as const

/** `skipped`: what it rests on was not good, so that nothing can be said. */
export interface Check {
  readonly name: (typeof CHECKS)[number]
  readonly state: 'good' | 'failed' | 'skipped'
  readonly detail: string
}

/** A check that was carried out. */
export function check(name: Check['name'], isGood: boolean, detail: string): Check {
  return { name, state: isGood ? 'good' : 'failed', detail }
}

/** The sentence of an error that the library names; of any other one only its kind, since its text could hold anything. */
export function sentenceOf(error: unknown): string {
  if (error instanceof StoreUnavailable || error instanceof KeyringError || error instanceof Unavailable) {
    return error.message
  }
  return `Something unexpected went wrong (${error instanceof Error ? error.name : typeof error}).`
}
