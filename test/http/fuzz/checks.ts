// The checks: what must hold of every exchange, each by its name. Spec: reliability 4.7.
import { ELSEWHERE_MARK } from './fuzz-world.ts'
import { sessionOf, TOKEN_MARK } from './callers.ts'
import type { Exchange } from './exchange.ts'
import { PRIVATE_MARK } from './holes.ts'

/** What is wrong, in words; null where nothing is. */
type Check = (exchange: Exchange) => string | null

/** Refused for its form: before anything is looked up. */
const OF_FORM = new Set([
  'malformed_request',
  'invalid_request',
  'unsupported_media_type',
  'payload_too_large',
  'commitment_required',
  'method_not_allowed',
  'unknown_path',
])
/** Refused for its form by the runtime, which knows more of it than a schema can say. */
const OF_CONTENT = new Set(['limit_exceeded', 'malformed_reference', 'invalid_command', 'action_not_registered'])

const notAServerError: Check = ({ answer, mood: { brings = [] }, sent: { method } }) => {
  if (answer.status < 500) return null
  // An answer to HEAD does not say which one it is.
  const isBrought = method === 'HEAD' ? brings.length > 0 : brings.some((code) => code === answer.json['code'])
  return answer.status === 503 && isBrought ? null : 'a fault of the server'
}

const about =
  (part: Exchange['faults'][number]['about']): Check =>
  ({ faults }) =>
    faults.find((one) => one.about === part)?.message ?? null

const negativeDataRejected: Check = ({ asked: { kind }, answer }) => {
  if (kind !== 'negative') return null
  const code = String(answer.json['code'])
  return OF_FORM.has(code) || OF_CONTENT.has(code) || answer.status === 503 ? null : 'is not refused for its form'
}

const positiveDataAccepted: Check = ({ asked: { kind, operation }, answer }) => {
  // A page that is not there is no matter of form.
  if (kind !== 'positive' || !operation.isClosed) return null
  return OF_FORM.has(String(answer.json['code'])) ? 'is refused for its form' : null
}

const missingHeaderRejected: Check = ({ asked: { kind }, answer }) => {
  return kind !== 'missing header' || answer.status === 415 ? null : 'no media type, and no 415'
}

const unsupportedMethodRejected: Check = ({ asked: { kind, operation }, answer }) => {
  if (kind !== 'unsupported method') return null
  const allow = (answer.headers.get('Allow') ?? '').split(', ').toSorted().join(' ')
  if (answer.status === 405 && allow === operation.allowed.toSorted().join(' ')) return null
  return `405 and Allow: ${operation.allowed.join(', ')} were to come, not ${allow}`
}

const authenticationDemanded: Check = ({ asked: { kind }, answer }) => {
  if (kind !== 'no credentials' && kind !== 'bad credentials') return null
  return answer.status === 401 && answer.headers.has('WWW-Authenticate') ? null : 'nobody was asked who is calling'
}

const gone: Check = ({ about: named, answer, asked: { operation, kind }, erasedOrders, sent, readBack }) => {
  const texts = answer.text + (readBack?.text ?? '')
  const told = erasedOrders.find((order) => texts.includes(order) && !sent.texts.includes(order))
  if (told !== undefined) return 'the content of an erased proposal'
  const isBack = answer.json['outcome'] === 'erased' && readBack !== null && readBack.status < 400
  if (isBack && readBack.json['kind'] !== 'erased') return 'is there again'
  if (named?.isErased !== true || kind !== 'positive' || answer.status >= 400 || answer.text === '') return null
  if (operation.operationId === 'readProposal') return answer.json['kind'] === 'erased' ? null : 'is there again'
  return REMAINING.has(operation.operationId) ? null : 'something can be done to it'
}

/** What can still be asked about an erased proposal. */
const REMAINING = new Set(['readProposal', 'listReceipts', 'exportEvidence', 'eraseProposal'])

const createdIsReadable: Check = ({ answer, readBack }) => {
  if (readBack === null || answer.status !== 201) return null
  const same = readBack.json['proposal'] === answer.json['proposal']
  const tag = readBack.headers.get('ETag') === answer.headers.get('ETag')
  return readBack.status === 200 && same && tag ? null : `what was prepared is answered ${readBack.status}`
}

const nothingPrivateTold: Check = ({ answer }) => {
  const whole = answer.text + [...answer.headers].join('\n')
  return [PRIVATE_MARK, TOKEN_MARK].find((mark) => whole.includes(mark)) ?? null
}

/** Long enough to stand in an answer by no accident, and no word of the house. */
const TELLING = /^(?![a-z_]+$)[^]{12,}$/

const nothingEchoed: Check = ({ answer, sent }) => {
  if (!isProblem(answer)) return null
  const told = Object.values(answer.json).filter((member) => member !== answer.json['instance'])
  const text = JSON.stringify(told)
  return sent.texts.some((one) => TELLING.test(one) && text.includes(JSON.stringify(one).slice(1, -1)))
    ? 'a value that was sent'
    : null
}

const tenantsApart: Check = ({ answer, twin, asked: { caller, kind }, sent, after }) => {
  const { tenant } = sessionOf(caller)
  if (twin !== null && (answer.status < 400 || withoutId(answer) !== withoutId(twin))) {
    return 'a proposal of another tenant is not answered like one that never was'
  }
  if (kind === 'no credentials' || kind === 'bad credentials') return null
  const whole = answer.text + [...answer.headers].join('\n')
  const theirs = after.proposals.filter((one) => one.tenant !== tenant).flatMap(namesOf)
  const marks = tenant === 'acme' ? [...theirs, ELSEWHERE_MARK] : theirs
  return marks.some((mark) => whole.includes(mark) && !sent.texts.includes(mark)) ? 'a byte of another tenant' : null
}

function withoutId({ status, json: { instance: _, ...members } }: Exchange['answer']): string {
  return JSON.stringify([status, members])
}

function namesOf({ ref, commitment, approvalIds, effect, lastHash, isErased }: Exchange['after']['proposals'][number]) {
  return [ref, effect, lastHash, ...approvalIds, ...(isErased ? [] : [commitment])]
}

const stateUnchanged: Check = ({ answer, sent: { method }, before, after }) => {
  const isReading = method === 'GET' || method === 'HEAD'
  const mustNot = isReading || (isProblem(answer) && answer.status < 500) || answer.status === 405
  return mustNot && before.text !== after.text ? 'something was stored' : null
}

function isProblem({ headers }: Exchange['answer']): boolean {
  return headers.get('Content-Type') === 'application/problem+json'
}

/** By name. */
export const CHECKS = {
  not_a_server_error: notAServerError,
  status_conforms: about('status'),
  content_type_conforms: about('media type'),
  headers_conform: about('headers'),
  schema_conforms: about('schema'),
  negative_data_rejected: negativeDataRejected,
  positive_data_accepted: positiveDataAccepted,
  missing_header_rejected: missingHeaderRejected,
  unsupported_method_rejected: unsupportedMethodRejected,
  authentication_demanded: authenticationDemanded,
  erased_is_gone: gone,
  created_is_readable: createdIsReadable,
  nothing_private_told: nothingPrivateTold,
  nothing_echoed: nothingEchoed,
  tenants_apart: tenantsApart,
  state_unchanged: stateUnchanged,
} as const satisfies Record<string, Check>

/** The name of a check. */
export type CheckName = keyof typeof CHECKS

/** Every check that the exchange fails, with its words. */
export function failedChecks(exchange: Exchange): readonly (readonly [CheckName, string])[] {
  const failed: (readonly [CheckName, string])[] = []
  for (const name of Object.keys(CHECKS) as CheckName[]) {
    const words = CHECKS[name](exchange)
    if (words !== null) failed.push([name, words])
  }
  return failed
}
