// Look-ups by keys: how one is answered, and what its answer proves.
import { answer, type Reply } from './reply.ts'
import type { World } from './route.ts'
import { keysBeginningWith } from './keys.ts'
import type { LookUp } from './wire.ts'

/** What is looked up: as it stands in the books under some keys, as if nothing did, and somebody else's. */
export interface LookUpOf {
  readonly find: (idempotencyKeys: readonly string[]) => LookUp
  readonly empty: (lookUp: LookUp) => LookUp
  readonly another: (idempotencyKey: string) => LookUp
}

/** The key of an answer that nobody asked for. */
const anotherKey = 'another-key'

/** Answers a look-up, or lets a fault answer it; what waited for somebody to look arrives afterwards. */
export function answerLookUp(
  { database, faults, landings }: World,
  idempotencyKeys: readonly string[],
  { find, empty, another }: LookUpOf,
): Reply {
  const fault = faults.takeForLookUp()
  const nothingSeen = (state: LookUp['state']): Reply => {
    const requests = idempotencyKeys.map((idempotencyKey) => ({ idempotencyKey, state: 'never_seen' }) as const)
    return answer(200, empty({ state, requests }))
  }
  const firstPage = (): Reply => {
    const page = idempotencyKeys.slice(0, Math.floor(idempotencyKeys.length / 2))
    return answer(200, { ...find(page), state: 'provisional' })
  }
  const byPrefix = (): Reply => answer(200, find(keysBeginningWith(database, idempotencyKeys)))
  const aboutAnother = (): Reply => answer(200, another(anotherKey))
  const reply =
    fault === null ? answer(200, find(idempotencyKeys)) : fault({ nothingSeen, firstPage, byPrefix, aboutAnother })
  landings.lookedFor(idempotencyKeys)
  return reply
}

/** Whether the books were read, and every key asked for is finished without effect. */
export function isTerminal({ state, requests }: LookUp, idempotencyKeys: readonly string[]): boolean {
  const finished = new Set(
    requests.filter((request) => request.state === 'finished_without_effect').map((request) => request.idempotencyKey),
  )
  return state === 'complete' && idempotencyKeys.every((key) => finished.has(key))
}
