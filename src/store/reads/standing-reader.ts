// Counts the proposals of a tenant that wait for something, through indexes that hold few others.
import type { Kysely } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import { isInDoubt, isOpen, STATUSES, type Status } from '../../proposal/status.ts'
import type { Standing } from '../../runtime/ports.ts'
import { firstOf, type Operation, rowsOf } from '../operation.ts'
import { needsPerson } from '../partial-conditions.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

/** The operation that counts. */
export type ReadStanding = (tenant: Reference) => Operation<Standing>

const IN_DOUBT = STATUSES.filter((status) => isInDoubt(status))
const WAITING = [...STATUSES.filter((status) => isOpen(status)), ...IN_DOUBT]

/** The counts over the statements of one database. */
export function standingReader(db: Kysely<Tables>): ReadStanding {
  const countedRows = statement((of: { tenant: string }) => {
    return db
      .selectFrom('proposals')
      .select(({ fn }) => ['status', fn.countAll().as('proposals')])
      .where('tenant', '=', of.tenant)
      .where('status', 'in', WAITING)
      .groupBy('status')
  })
  const personRows = statement((of: { tenant: string }) => {
    return db
      .selectFrom('proposals')
      .select(({ fn }) => fn.countAll().as('proposals'))
      .where('tenant', '=', of.tenant)
      .where(needsPerson)
  })
  const oldestRows = statement((of: { tenant: string }) => {
    return db
      .selectFrom('proposals')
      .innerJoin('attempts', (join) => {
        return join
          .onRef('attempts.tenant', '=', 'proposals.tenant')
          .onRef('attempts.proposal', '=', 'proposals.ref')
          .onRef('attempts.number', '=', 'proposals.attempt')
      })
      .select(({ fn }) => fn.min<number | null>('attempts.started_at').as('started_at'))
      .where('proposals.tenant', '=', of.tenant)
      .where('proposals.status', 'in', IN_DOUBT)
  })

  return function* standing(tenant) {
    const counted = yield* rowsOf(countedRows({ tenant }))
    const counts = new Map(counted.map(({ status, proposals }) => [status, Number(proposals)]))
    const sum = (statuses: readonly Status[]): number => {
      return statuses.reduce((total, status) => total + (counts.get(status) ?? 0), 0)
    }
    const oldest = (yield* firstOf(oldestRows({ tenant })))?.started_at ?? null
    return {
      open: sum(STATUSES.filter((status) => isOpen(status))),
      inDoubt: sum(IN_DOUBT),
      inDoubtSince: oldest,
      needsPerson: Number((yield* firstOf(personRows({ tenant })))?.proposals ?? 0),
    }
  }
}
