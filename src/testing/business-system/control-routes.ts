// The development controls of the business system: set faults, look into the books, change its state, move its time.
import { z } from 'zod'
import { applyChange, businessChangeSchema } from './changes.ts'
import { isFaultName } from './faults.ts'
import { findOrder, orderOf } from './orders.ts'
import { countPayments } from './payments.ts'
import { countRefunds } from './refunds.ts'
import { answer, problem, type Reply } from './reply.ts'
import { listRequests } from './request-log.ts'
import { type IncomingRequest, readBody, type Route, type World } from './route.ts'
import type { EffectCount } from './wire.ts'

const faultBody = z.strictObject({ fault: z.string(), count: z.int().min(1).max(10_000) })
const clockBody = z.strictObject({ now: z.int().min(0) })

/** Reached over loopback like everything else, and never logged as requests. Spec: http "countersign serve". */
export const controlRoutes: readonly Route[] = [
  { method: 'POST', path: '/_faults', answer: addFault },
  { method: 'GET', path: '/_effects', answer: (_, world) => answer(200, countEffects(world)) },
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

function countEffects({ database }: World): readonly EffectCount[] {
  return [...countRefunds(database), ...countPayments(database)]
}

// A changed order is answered as it is now; of anything else it is said what was changed.
function changeLedger(request: IncomingRequest, { database }: World): Reply {
  const read = readBody(request, businessChangeSchema)
  if (read.kind === 'malformed') return read.reply
  const change = read.body
  const changed = applyChange(database, change)
  if (changed.kind === 'refused') return problem(changed.code)
  if (changed.kind === 'malformed') return problem('malformed_request', `JSON body: ${changed.detail}`)
  const order = 'refunded' in change ? findOrder(database, change.orderReference) : null
  return answer(200, order === null ? change : orderOf(order))
}

function setClock(request: IncomingRequest, { clock }: World): Reply {
  const read = readBody(request, clockBody)
  if (read.kind === 'malformed') return read.reply
  clock.set(read.body.now)
  return answer(200, { now: read.body.now })
}
