// The first tables of deliveries: how far the outbox was read for whom, what is queued, and the guards over both.
import { type ColumnDefinitionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { Capabilities } from '../capabilities.ts'
import { deliveryIsDead, deliveryIsLive } from '../partial-conditions.ts'
import { type Guard, isChanged } from './guard.ts'
import { clusteredTable } from './table-form.ts'

const notNull = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull()
const queue = ['tenant', 'endpoint', 'proposal'] as const

/** Creates the tables, their indexes and their guards. */
export async function createDeliveries(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer } = engine
  await clusteredTable(db, engine, 'delivery_endpoints')
    .addColumn('tenant', text, notNull)
    .addColumn('endpoint', text, notNull)
    .addColumn('read_through', integer, notNull)
    .addColumn('disabled_at', integer)
    .addPrimaryKeyConstraint('delivery_endpoints_key', ['tenant', 'endpoint'])
    .execute()

  await clusteredTable(db, engine, 'deliveries')
    .addColumn('tenant', text, notNull)
    .addColumn('endpoint', text, notNull)
    .addColumn('proposal', text, notNull)
    .addColumn('position', integer, notNull)
    .addColumn('last_position', integer, notNull)
    .addColumn('failures', integer, notNull)
    .addColumn('due_at', integer)
    .addColumn('holder', text)
    .addColumn('reason', text)
    .addColumn('dead_at', integer)
    .addPrimaryKeyConstraint('deliveries_key', [...queue])
    .addForeignKeyConstraint('deliveries_of', ['tenant', 'proposal'], 'proposals', ['tenant', 'ref'])
    .addForeignKeyConstraint('deliveries_to', ['tenant', 'endpoint'], 'delivery_endpoints', ['tenant', 'endpoint'])
    .addCheckConstraint('deliveries_in_order', sql`position <= last_position and failures >= 0`)
    .addCheckConstraint(
      'deliveries_due',
      sql`(due_at is null) = (dead_at is not null) and (dead_at is null or (holder is null and reason is not null))`,
    )
    .execute()
  await db.schema
    .createIndex('deliveries_due_next')
    .on('deliveries')
    .columns(['tenant', 'endpoint', 'due_at', 'proposal'])
    .where(deliveryIsLive)
    .execute()
  await db.schema
    .createIndex('deliveries_dead')
    .on('deliveries')
    .columns([...queue])
    .where(deliveryIsDead)
    .execute()
  await engine.createGuards(db, guards(engine))
}

// A queue that went back would send again what was delivered; an endpoint that went back, everything since.
const guards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'deliveries_forward',
    before: 'update',
    on: 'deliveries',
    when: sql<SqlBool>`${isChanged(engine, queue)} or new.position < old.position or new.last_position < old.last_position`,
    rule: 'a queue only moves forward',
  },
  {
    name: 'delivery_endpoints_forward',
    before: 'update',
    on: 'delivery_endpoints',
    when: sql<SqlBool>`${isChanged(engine, ['tenant', 'endpoint'])} or new.read_through < old.read_through`,
    rule: 'the outbox is only read forward',
  },
  {
    name: 'delivery_endpoints_not_deleted',
    before: 'delete',
    on: 'delivery_endpoints',
    rule: 'how far the outbox was read is never forgotten',
  },
]
