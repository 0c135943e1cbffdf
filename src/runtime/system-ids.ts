// References, tokens and chance as a production runtime draws them.
import { randomBytes, randomInt } from 'node:crypto'
import { monotonicFactory } from 'ulid'
import { parseReference } from '../effect/reference.ts'
import type { Ids } from './ports.ts'

/** ULIDs that grow within this process, random tokens of 128 bits, uniform fractions. */
export function systemIds(): Ids {
  const ulid = monotonicFactory()
  return {
    reference: () => parseReference(ulid(), ''),
    token: () => randomBytes(16).toString('base64url'),
    fraction: () => randomInt(2 ** 32) / 2 ** 32,
  }
}
