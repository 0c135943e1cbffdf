// Look-ups by keys: how one is answered, and what its answer proves.
import { answer, type Reply } from './reply.ts'
import type { World } from './route.ts'
import type { LookUp } from './wire.ts'

/** What is looked up, as it stands in the books and as if nothing did. */
export interface LookUpOf {
  readonly find: () => LookUp
  readonly empty: (lookUp: LookUp) => LookUp
}

/** Answers a look-up, or lets a fault answer it; what waited for somebody to look arrives afterwards. */
export function answerLookUp(
  { faults, landings }: World,
  idempotencyKeys: readonly string[],
  { find, empty }: LookUpOf,
): Reply {
  const fault = faults.takeForLookUp()
  const nothingSeen = (state: LookUp['state']): Reply => {
    const requests = idempotencyKeys.map((idempotencyKey) => ({ idempotencyKey, state: 'never_seen' }) as const)
    return answer(200, empty({ state, requests }))
  }
  const reply = fault === null ? answer(200, find()) : fault({ nothingSeen })
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
