// Clauses about a keyring: keys wrapped so that only the right one opens them, and three answers that are never mixed up.
import type { KeyEncryptionKey, Keyring } from '../../runtime/ports.ts'
import { KeyUnavailable } from '../../runtime/keys/sealing.ts'
import { type Clause, ClauseFailure, demand } from '../clause.ts'
import { findSensitive } from '../find-sensitive.ts'
import { alterations, CANARY_KEY, holds, type KeyringUnderTest, thrownBy, truncations } from './protection-bench.ts'

const KEY_BYTES = 32
const CONTEXT = new TextEncoder().encode('tenant-a/proposal-1')
const OTHER_CONTEXT = new TextEncoder().encode('tenant-b/proposal-1')

type One = Clause<KeyringUnderTest>

/** Of a keyring. Spec: policy-and-protection 4, invariant I28. */
export const keyringClauses: readonly One[] = [
  {
    clause: 'keyring.version',
    rule: 'The current key has a version that can be stored beside what it wrapped.',
    async run({ keyring }) {
      const { version } = await keyring.current()
      const isVersion = typeof version === 'string' && /^[a-z0-9_.-]{1,64}$/.test(version)
      demand(isVersion, 'key_version_malformed', 'The version of the current key is not of the form [a-z0-9_.-]{1,64}.')
    },
  },
  {
    clause: 'keyring.round_trip',
    rule: 'What was wrapped is unwrapped as it was, by the key that is found under its version.',
    restsOn: ['keyring.version'],
    async run({ keyring }) {
      const current = await keyring.current()
      const wrapped = await current.wrap(dataKey(), CONTEXT)
      const found = await keyring.resolve(current.version)
      demand(found !== null, 'current_not_resolved', 'The current key is not found under its own version.')
      const opened = await opens(found, wrapped)
      demand(opened, 'unwrapped_differs', 'A wrapped key is not unwrapped as it was.')
    },
  },
  {
    clause: 'keyring.hidden',
    rule: 'A wrapped key does not show the key.',
    restsOn: ['keyring.round_trip'],
    async run({ keyring }) {
      const wrapped = await (await keyring.current()).wrap(dataKey(), CONTEXT)
      demand(!holds(wrapped, CANARY_KEY), 'wrapped_in_the_clear', 'A wrapped key shows the key.')
    },
  },
  {
    clause: 'keyring.fresh',
    rule: 'The same key wrapped twice is two different texts.',
    restsOn: ['keyring.round_trip'],
    async run({ keyring }) {
      const current = await keyring.current()
      const [first, second] = [await current.wrap(dataKey(), CONTEXT), await current.wrap(dataKey(), CONTEXT)]
      demand(!Buffer.from(first).equals(second), 'wrap_repeats', 'The same key was wrapped to the same bytes twice.')
    },
  },
  {
    clause: 'keyring.context',
    rule: 'A wrapped key opens under the context that it was wrapped for only.',
    restsOn: ['keyring.round_trip'],
    async run({ keyring }) {
      const current = await keyring.current()
      const wrapped = await current.wrap(dataKey(), CONTEXT)
      for (const context of [OTHER_CONTEXT, new Uint8Array(0), CONTEXT.slice(1)]) {
        const refused = await thrownBy(async () => current.unwrap(wrapped, context))
        demand(refused !== null, 'context_ignored', 'A wrapped key opened under another context.')
      }
    },
  },
  {
    clause: 'keyring.altered',
    rule: 'A wrapped key that was changed or cut anywhere is refused as damaged.',
    restsOn: ['keyring.round_trip'],
    async run({ keyring }) {
      const current = await keyring.current()
      const wrapped = await current.wrap(dataKey(), CONTEXT)
      for (const bytes of [...alterations(wrapped), ...truncations(wrapped)]) {
        const refused = await thrownBy(async () => current.unwrap(bytes, CONTEXT))
        demand(refused !== null, 'alteration_unwrapped', 'A wrapped key that was changed or cut opened.')
        const isDamaged = refused.error instanceof KeyUnavailable && refused.error.answer === 'damaged'
        demand(isDamaged, 'damage_not_told', 'A wrapped key that was changed or cut is not refused as damaged.')
      }
    },
  },
  {
    clause: 'keyring.errors',
    rule: 'No error carries a key.',
    restsOn: ['keyring.altered'],
    async run({ keyring }) {
      const current = await keyring.current()
      const wrapped = await current.wrap(dataKey(), CONTEXT)
      const errors = await Promise.all(
        [...alterations(wrapped), ...truncations(wrapped)].map(async (bytes) =>
          thrownBy(async () => current.unwrap(bytes, CONTEXT)),
        ),
      )
      errors.push(await thrownBy(async () => current.unwrap(wrapped, OTHER_CONTEXT)))
      demand(findSensitive(errors, [CANARY_KEY]).length === 0, 'key_error_leaks', 'An error carries a key.')
    },
  },
  {
    clause: 'keyring.copies',
    rule: 'What the caller does with its own bytes changes nothing of what is kept.',
    restsOn: ['keyring.round_trip'],
    async run({ keyring }) {
      const current = await keyring.current()
      const given = dataKey()
      const wrapping = current.wrap(given, CONTEXT)
      const wrapped = await wrapping
      given.fill(0)
      const first = await current.unwrap(wrapped, CONTEXT)
      first.fill(0)
      demand(await opens(current, wrapped), 'key_aliased', 'A key changed with the bytes of whoever had it.')
    },
  },
  {
    clause: 'keyring.missing',
    rule: 'A version that does not exist is answered with null.',
    restsOn: ['keyring.version'],
    async run({ keyring }) {
      const refused = await thrownBy(async () => {
        const found = await keyring.resolve('never-made-0')
        demand(found === null, 'missing_key_invented', 'A version that does not exist is answered with a key.')
      })
      if (refused?.error instanceof ClauseFailure) throw refused.error
      demand(refused === null, 'missing_key_not_told', 'A version that does not exist is answered with an error.')
    },
  },
  {
    clause: 'keyring.reference_key',
    rule: 'The reference key is the same 32 bytes whenever it is asked for, and none of the typed or repeated ones.',
    async run({ keyring }) {
      const [first, second] = [await keyring.referenceKey(), await keyring.referenceKey()]
      const isKey = first instanceof Uint8Array && first.length === KEY_BYTES && new Set(first).size > KEY_BYTES / 4
      demand(isKey, 'reference_key_weak', 'The reference key is not 32 random bytes.')
      demand(Buffer.from(first).equals(second), 'reference_key_changes', 'The reference key is another one each time.')
    },
  },
  {
    clause: 'keyring.reopened',
    rule: 'Another process opens what this one wrapped, and has the same reference key.',
    restsOn: ['keyring.round_trip', 'keyring.reference_key'],
    lacks: (subject) => (subject.reopen === undefined ? 'The keyring cannot be opened again.' : null),
    async run(subject) {
      const current = await subject.keyring.current()
      const wrapped = await current.wrap(dataKey(), CONTEXT)
      const again = await subject.reopen?.()
      const found = (await again?.resolve(current.version)) ?? null
      const isThere = found !== null && (await opens(found, wrapped))
      demand(isThere, 'key_lost_on_reopen', 'What was wrapped does not open when the keyring is opened again.')
      await demandSameReferenceKey(subject.keyring, again ?? subject.keyring, 'reference_key_lost_on_reopen')
    },
  },
  {
    clause: 'keyring.rotated',
    rule: 'After a rotation another key is current, what the older one wrapped still opens, and the reference key stays.',
    restsOn: ['keyring.round_trip', 'keyring.reference_key'],
    lacks: (subject) => (subject.rotate === undefined ? 'The keyring cannot be rotated.' : null),
    async run(subject) {
      const { keyring } = subject
      const old = await keyring.current()
      const wrapped = await old.wrap(dataKey(), CONTEXT)
      const reference = Buffer.from(await keyring.referenceKey())
      await subject.rotate?.()
      const { version } = await keyring.current()
      demand(version !== old.version, 'rotation_changes_nothing', 'After a rotation the same version is current.')
      const found = await keyring.resolve(old.version)
      const isThere = found !== null && (await opens(found, wrapped))
      demand(isThere, 'rotation_loses_keys', 'After a rotation what the older key wrapped does not open.')
      const same = reference.equals(await keyring.referenceKey())
      demand(same, 'reference_key_rotated', 'After a rotation the reference key is another one.')
    },
  },
  refusing('outage', 'unavailable', 'outage_called_missing', 'Keys that nobody can reach'),
  refusing('deny', 'denied', 'denial_called_missing', 'Keys that are denied'),
  {
    clause: 'keyring.forgotten',
    rule: 'A key that was destroyed is answered with null, which alone means erased.',
    restsOn: ['keyring.missing'],
    lacks: (subject) => (subject.forget === undefined ? 'No key of the keyring can be destroyed.' : null),
    async run(subject) {
      const { version } = await subject.keyring.current()
      await subject.forget?.(version)
      const refused = await thrownBy(async () => {
        demand(
          (await subject.keyring.resolve(version)) === null,
          'forgotten_key_kept',
          'A destroyed key is still there.',
        )
      })
      if (refused?.error instanceof ClauseFailure) throw refused.error
      demand(refused === null, 'forgotten_key_not_told', 'A destroyed key is answered with an error.')
    },
  },
]

/** Something that may pass is told as such, by resolve or at the latest by unwrap, and never as a key that is gone. */
function refusing(ability: 'outage' | 'deny', answer: KeyUnavailable['answer'], code: string, what: string): One {
  return {
    clause: `keyring.${answer}`,
    rule: `${what} are an error that says ${answer}, and never a key that is gone.`,
    restsOn: ['keyring.round_trip'],
    lacks: (subject) => (subject[ability] === undefined ? `The keyring cannot be made ${answer}.` : null),
    async run(subject) {
      const current = await subject.keyring.current()
      const wrapped = await current.wrap(dataKey(), CONTEXT)
      await subject[ability]?.(true)
      try {
        const refused = await thrownBy(async () => {
          const found = await subject.keyring.resolve(current.version)
          demand(found !== null, code, `${what} are answered as if they were gone.`)
          await found.unwrap(wrapped, CONTEXT)
        })
        if (refused?.error instanceof ClauseFailure) throw refused.error
        const isTold = refused?.error instanceof KeyUnavailable && refused.error.answer === answer
        demand(isTold, `${answer}_not_told`, `${what} are not told as ${answer}.`)
      } finally {
        await subject[ability]?.(false)
      }
    },
  }
}

async function demandSameReferenceKey(one: Keyring, other: Keyring, code: string): Promise<void> {
  const same = Buffer.from(await one.referenceKey()).equals(await other.referenceKey())
  demand(same, code, 'The reference key is another one when the keyring is opened again.')
}

async function opens(key: KeyEncryptionKey, wrapped: Uint8Array): Promise<boolean> {
  const refused = await thrownBy(async () => {
    if (!Buffer.from(await key.unwrap(wrapped, CONTEXT)).equals(dataKey())) throw new TypeError('another key')
  })
  return refused === null
}

function dataKey(): Uint8Array {
  return new TextEncoder().encode(CANARY_KEY)
}
