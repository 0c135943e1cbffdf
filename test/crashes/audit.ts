// The audit after a crash run: every invariant, every effect in the books, every answer that was given.
import { idempotencyKey } from '../../src/effect/effect-key.ts'
import type { Definition } from '../../src/proposal/definition/definition.ts'
import { isInDoubt } from '../../src/proposal/status.ts'
import { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import type { Keyring, Store } from '../../src/runtime/ports.ts'
import type { CallLog } from '../runtime/call-log.ts'
import { dumpStore } from '../runtime/dump-store.ts'
import { brokenIn, type InvariantName } from '../runtime/invariants.ts'
import { TENANT } from '../runtime/sessions.ts'
import { type Acknowledged, lostOf } from './acknowledged.ts'
import { CALL_NAME } from './job.ts'

/** What a run leaves behind. */
export interface Remains {
  readonly store: Store
  readonly keyring: Keyring
  readonly log: CallLog
  readonly definitions: readonly Definition[]
  /** How often each key stands in the books. */
  readonly booked: ReadonlyMap<string, number>
  readonly acknowledged: readonly Acknowledged[]
  /** Whether nothing may be in doubt any more. Default true. */
  readonly isSettled?: boolean
  /** Whether the times in it are of clocks that were set apart: whose came first is then not told by them (I7). */
  readonly isApart?: boolean
}

/** Verifiers of a process that was killed have no end, and spec reliability asks for I17 without crashes only. */
const EXCEPT: readonly InvariantName[] = ['I17']

/** Every fault that is found; nothing where all is well. */
export async function faultsIn(remains: Remains): Promise<readonly string[]> {
  const { store, keyring, booked } = remains
  const dump = await dumpStore({ store, keyring, tenants: [TENANT] }, remains)
  const known = new Set<string>()
  const faults: string[] = []
  for (const { key, owner } of dump.effects) {
    const identity = idempotencyKey(key, 1)
    known.add(identity)
    const status = dump.proposals.find(({ proposal }) => proposal.ref === owner)?.proposal.status
    const times = booked.get(identity) ?? 0
    if (status === 'verified' && times !== 1) faults.push(`${owner} is verified and was booked ${times} times`)
    if (status === 'failed_known' && times !== 0) faults.push(`${owner} is failed_known and was booked ${times} times`)
    if (remains.isSettled !== false && status !== undefined && isInDoubt(status))
      faults.push(`${owner} is still ${status}`)
  }
  for (const [key, times] of booked) {
    if (times > 1) faults.push(`${key} was booked ${times} times`)
    if (!known.has(key) && !key.startsWith('call-')) faults.push(`${key} was booked for no effect of the store`)
  }
  const runner = new ActionRunner({ store, tenant: TENANT })
  for (const key of booked.keys()) {
    if (!key.startsWith('call-')) continue
    const receipt = await runner.find(CALL_NAME, key)
    if (receipt?.finalStatus !== 'CONFIRMED')
      faults.push(`${key} was booked and is ${receipt?.finalStatus ?? 'unknown'}`)
  }
  const lost = await lostOf(remains.acknowledged, { store, runner, callName: CALL_NAME })
  const except = remains.isApart === true ? [...EXCEPT, 'I7' as const] : EXCEPT
  return [...brokenIn(dump, except), ...faults, ...lost.map((one) => `lost: ${one}`)]
}
