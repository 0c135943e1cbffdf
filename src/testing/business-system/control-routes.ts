// The development controls of the business system: set faults, look into the books, change an order, move its time.
import { z } from 'zod'
import { centsOf } from './cents.ts'
import { isFaultName } from './faults.ts'
import { changeOrder, findOrder, orderOf } from './orders.ts'
import { countEffects } from './refunds.ts'
import { answer, problem, type Reply } from './reply.ts'
import { listRequests } from './request-log.ts'
import { type IncomingRequest, readBody, type Route, type World } from './route.ts'

const faultBody = z.strictObject({ fault: z.string(), count: z.int().min(1).max(10_000) })
const orderChangeBody = z.strictObject({ orderReference: z.string(), refunded: z.string() })
const clockBody = z.strictObject({ now: z.int().min(0) })

/** Reached over loopback like everything else, and never logged as requests. Spec: http "countersign serve". */
export const controlRoutes: readonly Route[] = [
  { method: 'POST', path: '/_faults', answer: addFault },
  { method: 'GET', path: '/_effects', answer: (_, { database }) => answer(200, countEffects(database)) },
  { method: 'GET', path: '/_requests', answer: (_, { database }) => answer(200, listRequests(database)) },
  { method: 'POST', path: '/_ledger', answer: changeLedger },
  { method: 'POST', path: '/_clock', answer: setClock },
]

function addFault(request: IncomingRequest, { faults }: World): Reply {
  const read = readBody(request, faultBody)
  if (read.kind === 'malformed') return read.reply
  const { fault, count } = read.body
  if (!isFaultName(fault)) return problem('unknown_fault')
  faults.add(fault, count)
  return answer(200, { fault, count })
}

function changeLedger(request: IncomingRequest, { database }: World): Reply {
  const read = readBody(request, orderChangeBody)
  if (read.kind === 'malformed') return read.reply
  const { orderReference, refunded } = read.body
  const refundedCents = centsOf(refunded)
  if (refundedCents === null) return problem('malformed_request', 'JSON body, /refunded: an amount with two decimals')
  const changed = changeOrder(database, { orderReference, refundedCents })
  if (changed !== 'changed') return problem(changed)
  const order = findOrder(database, orderReference)
  return order === null ? problem('unknown_order') : answer(200, orderOf(order))
}

function setClock(request: IncomingRequest, { clock }: World): Reply {
  const read = readBody(request, clockBody)
  if (read.kind === 'malformed') return read.reply
  clock.set(read.body.now)
  return answer(200, { now: read.body.now })
}
