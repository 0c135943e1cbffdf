// The statements that write deliveries: each is guarded by the place or the claim on which it rests.
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { DeliveriesTable, DeliveryEndpointsTable } from '../delivery-tables.ts'
import { deliveryIsLive } from '../partial-conditions.ts'
import { type Statement, statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

type EndpointKey = Pick<DeliveryEndpointsTable, 'tenant' | 'endpoint'>
type QueueKey = Pick<DeliveriesTable, 'tenant' | 'endpoint' | 'proposal'>
/** A queue at a place, as long as this holder has claimed it: whoever has lost the claim changes nothing. */
type Held = QueueKey & { readonly holder: string; readonly position: number }

/** When a queue is tried, by whom, and why not before. */
export type QueueState = Pick<DeliveriesTable, 'due_at' | 'reason' | 'dead_at'> & { readonly kept: string | null }

/** The statements about endpoints over one database. */
export function endpointStatements(db: Kysely<Tables>): {
  readonly begin: Statement<DeliveryEndpointsTable, unknown>
  readonly move: Statement<DeliveryEndpointsTable & { readonly from: number }, unknown>
  readonly disable: Statement<EndpointKey & { readonly now: number }, unknown>
  readonly enable: Statement<EndpointKey, unknown>
} {
  const change = ({ tenant, endpoint }: EndpointKey) => {
    return db.updateTable('delivery_endpoints').where('tenant', '=', tenant).where('endpoint', '=', endpoint)
  }
  return {
    begin: statement((row) => {
      return db
        .insertInto('delivery_endpoints')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
    }),
    move: statement((row) => change(row).set({ read_through: row.read_through }).where('read_through', '=', row.from)),
    disable: statement((row) => change(row).set({ disabled_at: row.now }).where('disabled_at', 'is', null)),
    enable: statement((row) => change(row).set({ disabled_at: null }).where('disabled_at', 'is not', null)),
  }
}

/** The statements by which queues are found and claimed, over one database. */
export function claimStatements(db: Kysely<Tables>): {
  readonly due: Statement<EndpointKey & { readonly now: number; readonly limit: number }, DeliveriesTable>
  readonly next: Statement<EndpointKey, Pick<DeliveriesTable, 'due_at'>>
  readonly held: Statement<QueueKey & { readonly holder: string }, DeliveriesTable>
  readonly claim: Statement<Held & { readonly now: number; readonly until: number }, unknown>
} {
  const of = ({ tenant, endpoint }: EndpointKey) => {
    return db.selectFrom('deliveries').where('tenant', '=', tenant).where('endpoint', '=', endpoint)
  }
  return {
    due: statement((page) => {
      return of(page)
        .selectAll()
        .where(deliveryIsLive)
        .where('due_at', '<=', page.now)
        .orderBy('due_at')
        .orderBy('proposal')
        .limit(page.limit)
    }),
    next: statement((key) => of(key).select('due_at').where(deliveryIsLive).orderBy('due_at').limit(1)),
    held: statement((key) => {
      return of(key).selectAll().where('proposal', '=', key.proposal).where('holder', '=', key.holder)
    }),
    // Whoever claims moves the time on, so that one of two finds it due.
    claim: statement((held) => {
      return changeQueue(db, held)
        .set({ holder: held.holder, due_at: held.until })
        .where('position', '=', held.position)
        .where('due_at', '<=', held.now)
    }),
  }
}

/** The statements that write queues over one database. */
export function queueStatements(db: Kysely<Tables>): {
  readonly open: Statement<DeliveriesTable, unknown>
  readonly move: Statement<
    Held & { readonly next: number; readonly due_at: number; readonly kept: string | null },
    unknown
  >
  readonly end: Statement<Held & { readonly through: number }, unknown>
  readonly put: Statement<Held & QueueState, unknown>
  readonly fail: Statement<Held & QueueState, unknown>
  readonly replay: Statement<QueueKey & { readonly now: number }, unknown>
  readonly replayAll: Statement<EndpointKey & { readonly now: number }, unknown>
} {
  const changeHeld = (held: Held) => {
    return changeQueue(db, held).where('holder', '=', held.holder).where('position', '=', held.position)
  }
  const stateOf = ({ due_at, kept, reason, dead_at }: QueueState) => ({ due_at, holder: kept, reason, dead_at })
  return {
    open: statement((row) => {
      return db
        .insertInto('deliveries')
        .values(row)
        .onConflict((conflict) => {
          return conflict
            .columns(['tenant', 'endpoint', 'proposal'])
            .doUpdateSet((eb) => ({ last_position: eb.ref('excluded.last_position') }))
        })
    }),
    move: statement((held) => {
      const { next: position, due_at, kept: holder } = held
      return changeHeld(held).set({ position, failures: 0, due_at, holder, reason: null })
    }),
    end: statement((held) => {
      return db
        .deleteFrom('deliveries')
        .where('tenant', '=', held.tenant)
        .where('endpoint', '=', held.endpoint)
        .where('proposal', '=', held.proposal)
        .where('holder', '=', held.holder)
        .where('position', '=', held.position)
        .where('last_position', '=', held.through)
    }),
    put: statement((held) => changeHeld(held).set(stateOf(held))),
    fail: statement((held) => {
      return changeHeld(held).set((eb) => ({ ...stateOf(held), failures: eb('failures', '+', 1) }))
    }),
    replay: statement((key) => {
      return changeQueue(db, key)
        .set({ ...REPLAYED, due_at: key.now })
        .where(isWaiting)
    }),
    replayAll: statement((key) => {
      return changeQueues(db, key)
        .set({ ...REPLAYED, due_at: key.now })
        .where(isWaiting)
    }),
  }
}

function changeQueues(db: Kysely<Tables>, { tenant, endpoint }: EndpointKey) {
  return db.updateTable('deliveries').where('tenant', '=', tenant).where('endpoint', '=', endpoint)
}

function changeQueue(db: Kysely<Tables>, key: QueueKey) {
  return changeQueues(db, key).where('proposal', '=', key.proposal)
}

const REPLAYED = { failures: 0, holder: null, reason: null, dead_at: null } as const

// What somebody holds is under way already.
const isWaiting = sql<SqlBool>`holder is null and (dead_at is not null or failures > 0)`
