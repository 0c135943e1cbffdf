// The part of a contract that decides when an effect may be sent again: the target, its memory, and the proofs accepted.
import type { ProofKind } from '../../effect/effect.ts'
import { isUnchecked, readDuration, readFields, readListOf, type Report, type Unchecked } from './contract-reader.ts'

/** The target; `keyLifetimeMs` is null where it is not idempotent. */
export interface Target {
  readonly name: string
  readonly keyLifetimeMs: number | null
}

/** The kinds of final absence that count as failure, and those of them after which the effect may be sent again. */
export interface AcceptProof {
  readonly failure: readonly ProofKind[]
  readonly resend: readonly ProofKind[]
}

const proofKinds = Object.keys({
  terminal: true,
  cancelled: true,
  fenced: true,
  key_consumed: true,
  settled: true,
} satisfies Record<ProofKind, true>)

const failureByDefault: readonly ProofKind[] = ['terminal', 'cancelled', 'fenced']
const targetName = /^[a-z0-9_.-]{1,64}$/

/** The target and what it promises about idempotency keys. */
export function readTarget(report: Report, value: unknown): Target {
  const { name, idempotent } = readFields(report, value, '/target', ['name', 'idempotent'])
  const isName = typeof name === 'string' && targetName.test(name)
  if (!isName) report('/target/name', 'target_invalid')
  return { name: isName ? name : '', keyLifetimeMs: readKeyLifetime(report, idempotent) }
}

function readKeyLifetime(report: Report, idempotent: unknown): number | null {
  if (idempotent === false) return null
  if (!isUnchecked(idempotent)) {
    report('/target/idempotent', 'idempotent_invalid')
    return null
  }
  const at = '/target/idempotent'
  const { keyLifetime } = readFields(report, idempotent, at, ['keyLifetime'])
  return readDuration(report, keyLifetime, `${at}/keyLifetime`, { maxMs: Number.MAX_SAFE_INTEGER })
}

/**
 * The proofs accepted. `fenced` and `cancelled` count only with the target's acknowledgement, so whoever names them has
 * the method that gets it; in the default list they cannot come up without it. `key_consumed` never allows a resend: the
 * key stays the same, and the target would answer with the refusal that it has stored (rules R5, R11, trace S10).
 */
export function readAcceptProof(report: Report, value: unknown, methods: Unchecked): AcceptProof {
  const input = value === undefined ? {} : readFields(report, value, '/acceptProof', ['failure', 'resend'])
  const readKinds = (list: unknown, path: string): readonly ProofKind[] =>
    readListOf(report, list, path, (kind, at) => {
      if (!isProofKind(kind)) report(at, 'proof_unknown')
      else if (kind === 'fenced' && methods['fence'] === undefined) report(at, 'fence_missing')
      else if (kind === 'cancelled' && methods['cancel'] === undefined) report(at, 'cancel_missing')
      return isProofKind(kind) ? kind : null
    })
  const failure =
    input['failure'] === undefined ? failureByDefault : readKinds(input['failure'], '/acceptProof/failure')
  const resend = readKinds(input['resend'], '/acceptProof/resend')
  for (const [index, kind] of resend.entries()) {
    if (kind === 'key_consumed') report(`/acceptProof/resend/${index}`, 'resend_key_consumed')
    else if (!failure.includes(kind)) report(`/acceptProof/resend/${index}`, 'resend_not_failure')
  }
  return { failure, resend }
}

/** Whether a resend would be under a key that the target still knows (design D10). `callMs`: how long a call may be under way. */
export function checkResend(report: Report, { resend }: AcceptProof, target: Target, callMs: number): void {
  if (resend.length === 0) return
  if (target.keyLifetimeMs === null) report('/acceptProof/resend', 'resend_not_idempotent')
  else if (target.keyLifetimeMs < callMs) report('/target/idempotent/keyLifetime', 'key_lifetime_too_short')
}

function isProofKind(value: unknown): value is ProofKind {
  return typeof value === 'string' && proofKinds.includes(value)
}
