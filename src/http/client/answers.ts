// The answers of the API by their form: checked with the very schemas that the endpoints answer by.
import { z } from 'zod'
import type { EvidenceBundle } from '../../proposal/receipts/evidence-bundle.ts'
import type { ActionView } from '../../runtime/actions.ts'
import type { CheckResult } from '../../runtime/check.ts'
import type { ErasureResult } from '../../runtime/erase/erase.ts'
import type { EventsPage } from '../../runtime/events.ts'
import type { ListPage } from '../../runtime/list.ts'
import type { ObservationResult } from '../../runtime/operate/observe.ts'
import type { ErasedView, ProposalView } from '../../runtime/read.ts'
import type { ReceiptsView } from '../../runtime/receipts.ts'
import type { OperationResult } from '../../runtime/result.ts'
import { actionList, eventsPage } from '../schemas/catalogue.ts'
import { evidenceBundle, receiptsView } from '../schemas/records.ts'
import { checkResult, erasureResult, observationResult, operationResult } from '../schemas/results.ts'
import { anyView, listPage } from '../schemas/views.ts'
import type { Answered } from './ask.ts'
import { MalformedAnswer } from './client-errors.ts'

/** What is answered, as the runtime says it. */
export interface Answers {
  readonly result: OperationResult
  readonly view: ProposalView | ErasedView
  readonly page: ListPage
  readonly check: CheckResult
  readonly observation: ObservationResult
  readonly erasure: ErasureResult
  readonly receipts: ReceiptsView
  readonly bundle: EvidenceBundle
  readonly actions: { readonly items: readonly ActionView[] }
  readonly events: EventsPage
}

const SCHEMAS: Readonly<Record<keyof Answers, z.ZodType>> = {
  result: operationResult,
  view: anyView,
  page: listPage,
  check: checkResult,
  observation: observationResult,
  erasure: erasureResult,
  receipts: receiptsView,
  bundle: evidenceBundle,
  actions: actionList,
  events: eventsPage,
}

/**
 * The answer, if it is of this form. Fields that nobody here knows are those of a newer server, and are let through.
 * @throws MalformedAnswer, which says where and never what
 */
export function fitting<Form extends keyof Answers>(form: Form, { status, body }: Answered): Answers[Form] {
  const { error } = SCHEMAS[form].safeParse(body)
  const issue = error?.issues.find(({ code }) => code !== 'unrecognized_keys')
  if (issue === undefined) return body as Answers[Form]
  const where = z.core.toDotPath(issue.path)
  throw new MalformedAnswer(status, `The answer is not of the form of this API at "${where}".`)
}
