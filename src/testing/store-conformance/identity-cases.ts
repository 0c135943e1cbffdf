// Cases about what a store remembers of those who use it, and about rows that can no longer be read.
import assert from 'node:assert/strict'
import { StoredDataCorrupt, StoreUnavailable } from '../../proposal/errors.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { attempted, effectOf, evidence, commits, liveOf, moved, prepared } from './steps.ts'
import { ending, observing } from './sample-effects.ts'

const FIRST = { referenceKeyCheck: 'check-1', domains: { 'example.payments/refund': 'example.payments/refund' } }

/** Guarantee 10: another reference key is found out, and domains are never forgotten. */
export const identityCases: readonly ConformanceCase[] = [
  {
    code: 'reference_key_forgotten',
    title: 'the first reference key is remembered, whoever comes later',
    async run({ store }) {
      const first = await store.adopt(FIRST)
      const second = await store.adopt({ ...FIRST, referenceKeyCheck: 'check-2' })

      assert.equal(first.referenceKeyCheck, 'check-1')
      assert.deepEqual(second, first)
      assert.notEqual(first.storeId, '')
    },
  },
  {
    code: 'domain_forgotten',
    title: 'every domain that an action has used is remembered',
    async run({ store }) {
      await store.adopt(FIRST)
      await store.adopt({
        ...FIRST,
        domains: { 'example.payments/refund': 'payments', 'example.tickets/close': 'tickets' },
      })

      const { domains } = await store.adopt({ ...FIRST, domains: {} })

      assert.deepEqual(domains, {
        'example.payments/refund': ['example.payments/refund', 'payments'],
        'example.tickets/close': ['tickets'],
      })
    },
  },
  {
    code: 'identity_lost_on_reopen',
    title: 'what was remembered is there when the store is opened again',
    needs: ['reopen'],
    async run({ store, reopen }) {
      const first = await store.adopt(FIRST)

      const again = await reopen()

      assert.deepEqual(await again.adopt({ referenceKeyCheck: 'check-2', domains: {} }), first)
    },
  },
  {
    code: 'identity_rewritten_in_sql',
    title: 'the database never forgets them',
    needs: ['attack'],
    async run({ store, attack }) {
      const first = await store.adopt(FIRST)

      for (const sql of [
        `update store_identity set store_id = 'other'`,
        `update store_identity set reference_key_check = 'other'`,
        'delete from store_identity',
        'delete from action_domains',
        `update action_domains set domain = 'other'`,
        `update schema_info set checksum = 'other'`,
        'delete from schema_info',
      ]) {
        await assert.rejects(async () => attack(sql), Error, sql)
      }

      assert.deepEqual(await store.adopt(FIRST), first)
    },
  },
]

/** Guarantee 10: what is no schema of this version is refused with a sentence. */
export const schemaCases: readonly ConformanceCase[] = [
  ['newer_schema_opened', 'made by a newer version', `insert into schema_info values ('9999-later', 'x')`],
  ['foreign_schema_opened', 'migrated by other statements', `update schema_info set checksum = 'other'`],
  ['half_migrated_opened', 'migrated halfway', 'delete from schema_info'],
].map(([code = '', what = '', sql = '']): ConformanceCase => {
  return {
    code,
    title: `a database ${what} is not opened`,
    needs: ['tamper', 'reopen'],
    async run({ store, tamper, reopen }) {
      await prepared(store)

      await tamper(sql)

      await assert.rejects(reopen(), (error) => error instanceof StoreUnavailable && /^[A-Z].{20}/u.test(error.message))
    },
  }
})

/** What is done to the row of a proposal, and the address that must be told. */
const DAMAGE: readonly (readonly [what: string, sql: string, address: string])[] = [
  ['a status of no lifecycle', `update proposals set status = 'paid' where ref = :ref`, 'proposals'],
  ['a reference that is none', `update proposals set subject = ' ' where ref = :ref`, 'proposals'],
  ['a policy that is none', `update proposals set policy = '{}' where ref = :ref`, 'proposals'],
  ['a policy cut short', `update proposals set policy = substr(policy, 1, 9) where ref = :ref`, 'proposals'],
  ['an integer that is not safe', `update proposals set expires_at = 9007199254740993 where ref = :ref`, 'proposals'],
  ['a participant that is none', `update proposals set requester = 'root' where ref = :ref`, 'proposals'],
  ['content that is gone', `update proposals set snapshot = null where ref = :ref`, 'proposals'],
  ['a key that is gone', `delete from keys where proposal = :ref`, 'keys'],
  ['a receipt that is gone', `delete from receipts where proposal = :ref`, 'receipts'],
]

/** Guarantee 11: stored rows are parsed on read; a corrupt one is told by its address, and every other stays usable. */
export const corruptionCases: readonly ConformanceCase[] = [
  ...DAMAGE.map(([what, sql, table]): ConformanceCase => {
    return {
      code: 'corrupt_row_read',
      title: `${what} makes that one proposal unreadable`,
      needs: ['tamper'],
      async run({ store, tamper }) {
        const [live, other] = [await prepared(store), await prepared(store)]
        const { tenant, ref } = live.proposal

        await tamper(sql.replace(':ref', `'${ref}'`))

        await assert.rejects(store.proposal(tenant, ref), corrupt([table, tenant, ref].join('/')))
        assert.deepEqual(await liveOf(store, other.proposal), other)
      },
    }
  }),
  {
    code: 'corrupt_row_listed',
    title: 'a list leaves a corrupt row out and fills its pages all the same',
    needs: ['tamper'],
    async run({ store, tamper }) {
      const lives = [await prepared(store), await prepared(store), await prepared(store), await prepared(store)]
      const refs = lives.map(({ proposal }) => proposal.ref)
      const { tenant } = lives[0]?.proposal ?? assert.fail()

      await tamper(`update proposals set policy = '{}' where ref in ('${refs[1]}', '${refs[3]}')`)

      const page = await store.list({ tenant, limit: 2 })
      assert.deepEqual(
        page.map(({ ref }) => ref),
        [refs[2], refs[0]],
      )
    },
  },
  {
    code: 'missing_receipt_unnoticed',
    title: 'a proposal is not read without its last receipt',
    needs: ['tamper'],
    async run({ store, tamper }) {
      const { tenant, ref } = (await moved(store, await prepared(store), 'approved')).proposal

      await tamper(`delete from receipts where sequence = 2`)

      await assert.rejects(store.proposal(tenant, ref), corrupt(`receipts/${tenant}/${ref}`))
    },
  },
  {
    code: 'corrupt_receipt_read',
    title: 'a corrupt receipt is told by its address',
    needs: ['tamper'],
    async run({ store, tamper }) {
      const { tenant, ref } = (await prepared(store)).proposal

      await tamper(`update receipts set detail = 'x'`)

      await assert.rejects(store.receipts(tenant, ref), corrupt(`receipts/${tenant}/${ref}/1`))
    },
  },
  ...['attempts', 'observations'].map((table): ConformanceCase => {
    return {
      code: 'missing_record_unnoticed',
      title: `an effect is not read without one of its ${table}`,
      needs: ['tamper'],
      async run({ store, tamper }) {
        const { effect } = await attempted(store)
        await commits(store, evidence(ending(effect)))
        await commits(store, evidence(observing(await effectOf(store, effect.key))))
        await commits(store, evidence(observing(await effectOf(store, effect.key))))
        const { tenant, domain, reference } = effect.key
        const first = table === 'attempts' ? 'number = 1' : 'sequence = 1'

        await tamper(`delete from ${table} where ${first}`)

        await assert.rejects(store.effect(effect.key), corrupt([table, tenant, domain, reference, 1].join('/')))
      },
    }
  }),
]

function corrupt(address: string): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof StoredDataCorrupt, String(error))
    assert.equal(error.address, address)
    return true
  }
}
