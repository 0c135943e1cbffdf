// Cases about damaged rows of guarded calls: each is told by its address, and every other call stays readable.
import assert from 'node:assert/strict'
import { StoredDataCorrupt } from '../../proposal/errors.ts'
import { callOf, endedCall, startedCall } from './call-steps.ts'
import type { ConformanceCase } from './conformance-case.ts'

/** What may be wrong with the rows of a call, and which of them is told. */
const DAMAGE: readonly (readonly [what: string, sql: string, table: string])[] = [
  ['metadata that are no object', `update calls set metadata = '[]'`, 'calls'],
  ['metadata that are no JSON', `update calls set metadata = '{'`, 'calls'],
  ['a provider reference of another form', `update calls set provider_reference = ' x'`, 'calls'],
  ['a risk that is no code', `update calls set risk = 'HIGH'`, 'calls'],
  ['a missing effect', 'delete from effects', 'effects'],
  ['a gap in its attempts', 'update call_attempts set number = 2', 'call_attempts'],
]

/** Guarantee 11, for guarded calls. */
export const callDamageCases: readonly ConformanceCase[] = DAMAGE.map(([what, sql, table]): ConformanceCase => {
  return {
    code: 'corrupt_call_read',
    title: `${what} makes that one call unreadable`,
    needs: ['tamper'],
    async run({ store, tamper }) {
      const damaged = await endedCall(store, await startedCall(store))
      const other = await startedCall(store)
      const { tenant, domain, reference: name } = damaged.effect.key

      await tamper(`${sql} where reference = '${name}'`)

      const address = [table, tenant, domain, name].join('/')
      await assert.rejects(store.call(damaged.effect.key), (error) => {
        return error instanceof StoredDataCorrupt && error.address.startsWith(address)
      })
      assert.deepEqual(await callOf(store, other.effect.key), other)
    },
  }
})
