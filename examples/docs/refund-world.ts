// The world of the refund under test: what the kit may do to the business system behind the adapter's back, and counts there.
import { type ActionWorld, type BusinessSystem, type HttpGate, type WorldChange } from 'countersign/testing'
import Database from 'better-sqlite3'
import type { Refund } from './refund-action.ts'

/** Seeded where no preview and no error may carry them: into every command, and by the gate into every answer. */
export const secrets = ['canary-intent-9d22', 'canary-note-51be07'] as const

// #region world
export function refundWorld(business: BusinessSystem, gate: HttpGate): ActionWorld<Refund> {
  let commands = 0
  return {
    async command() {
      commands += 1
      const orderReference = `ORD-${1001 + (commands % 100)}`
      const amount = { amount: '0.50', currency: 'EUR' }
      return { orderReference, intent: `${secrets[0]}-${commands}`, amount }
    },
    async effects({ orderReference }) {
      const ofOrder = (await business.effects()).filter((effect) => effect.orderReference === orderReference)
      return ofOrder.reduce((sum, { count }) => sum + count, 0)
    },
    writes: async () => gate.writes(),
    beforeNextWrite: (act) => gate.beforeNextWrite(act),
    changes: {
      'refunded by somebody else': refunded(business, '21.00'),
      'refunded by somebody else, and taken back': refunded(business, '22.00', '20.00'),
    },
    faults: {
      commit_then_drop: async () => business.faults('commit_then_drop', 1),
      drop_before_commit: async () => business.faults('drop_before_commit', 1),
      lagging_reads: async () => business.faults('stale_reads', 1),
      truncated: async () => gate.fault('read', 'truncate_answer'),
      outage: async () => gate.cut(),
    },
    heal: async () => gate.restore(),
    // Past every rule of the business system: what no fault of it would do, a verifier must still tell.
    async duplicate(_command, key) {
      const columns = 'idempotency_key, order_reference, amount_cents, booked_at'
      inBooks(
        business,
        `insert into refunds (order_version, ${columns}) select -refund_number, ${columns}
        from refunds where idempotency_key = ?`,
        key,
      )
    },
    async alter(_command, key) {
      inBooks(business, 'update refunds set amount_cents = 7 where idempotency_key = ?', key)
    },
    removes: false,
    secrets,
  }
}
// #endregion

/** Another writer, over HTTP and past the gate. */
function refunded({ url }: BusinessSystem, ...amounts: readonly string[]): WorldChange<Refund> {
  return async ({ orderReference }) => {
    for (const amount of amounts) await changeLedger(url, { orderReference, refunded: amount })
  }
}

/** Changes the business state as a clerk would. */
export async function changeLedger(url: string, change: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(new URL('/_ledger', url), { method: 'POST', headers, body: JSON.stringify(change) })
  if (!response.ok) throw new Error(`the business system did not change (${response.status})`)
}

/** Writes to the books with nobody asked. */
export function inBooks({ file }: BusinessSystem, sql: string, key: string): void {
  const database = new Database(file)
  database.prepare(sql).run(key)
  database.close()
}
