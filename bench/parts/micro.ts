// Micro: the single costs that every lifecycle pays many times over.
import { randomBytes } from 'node:crypto'
import { canonicalJson } from '../../src/effect/canonical-json.ts'
import { foldEvidence } from '../../src/effect/evidence.ts'
import type { Approval } from '../../src/proposal/approval.ts'
import { evaluatePolicy } from '../../src/proposal/policy/evaluate-policy.ts'
import type { FrozenPolicy } from '../../src/proposal/policy/freeze-policy.ts'
import { parseReference } from '../../src/effect/reference.ts'
import { decrypt, encrypt } from '../../src/runtime/keys/aead.ts'
import { inFolder } from '../folder.ts'
import { NoiseGate } from '../noise.ts'
import type { Options } from '../options.ts'
import type { Found, Part } from '../report.ts'
import { median, spread } from '../statistics.ts'

const APPROVALS = 50

export const micro: Part = { name: 'micro', run: async (options) => inFolder(async (folder) => run(options, folder)) }

async function run({ rounds, sliceMs }: Options, folder: string): Promise<Found> {
  const gate = new NoiseGate(folder)
  const costs = new Map<string, { readonly act: () => unknown; readonly us: number[] }>(
    Object.entries(acts()).map(([name, act]) => [name, { act, us: [] }]),
  )
  for (const { act } of costs.values()) perCall(act, sliceMs / 10)
  for (let round = 0; round < rounds; round += 1) {
    await gate.look()
    for (const { act, us } of costs.values()) us.push(perCall(act, sliceMs / 10))
  }
  const times = [...costs].map(([name, { us }]) => ({ name, unit: 'µs', value: median(us), spread: spread(us) }))
  return { figures: [], judged: [], times, values: {}, noise: gate.result() }
}

/** Microseconds of one call, on the average of as many as fit. */
function perCall(act: () => unknown, forMs: number): number {
  const began = performance.now()
  let calls = 0
  let elapsed = 0
  while (elapsed < forMs) {
    for (let left = 100; left > 0; left -= 1) act()
    calls += 100
    elapsed = performance.now() - began
  }
  return (elapsed / calls) * 1_000
}

function acts(): Readonly<Record<string, () => unknown>> {
  const value = { intent: 'transfer 1', amount: { amount: '10.00', currency: 'EUR' }, note: 'n'.repeat(1_000) }
  const [key, context] = [randomBytes(32), randomBytes(64)]
  const plain = Buffer.from(canonicalJson(value, { numbers: 'integers' }))
  const sealed = encrypt(key, context, plain)
  const policy = policyOf(APPROVALS)
  const approvals = Array.from({ length: APPROVALS }, (_, number) => approvalOf(number))
  return {
    'canonical JSON of 1 kB': () => canonicalJson(value, { numbers: 'integers' }),
    'seal 1 kB': () => encrypt(key, context, plain),
    'open 1 kB': () => decrypt(key, context, sealed),
    'fold over 1 attempt': foldOver(1),
    'fold over 10 attempts': foldOver(10),
    'fold over 100 attempts': foldOver(100),
    [`policy matching with ${APPROVALS} approvals`]: () =>
      evaluatePolicy(policy, approvals, { now: 1, commitment: 'c1_bench' }),
  }
}

/** Every attempt but the last is denied by an observation of its own, as after resends. */
function foldOver(count: number): () => unknown {
  const attempts = Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    target: 'bench',
    evidence: 'UNKNOWN' as const,
  }))
  const observations = attempts.slice(1).map(({ number, target }) => ({
    verdict: 'FAILED' as const,
    covers: { from: number - 1, to: number - 1 },
    target,
  }))
  return () => foldEvidence(attempts, observations)
}

/** Two requirements that every approver could meet: the matching has something to decide. */
function policyOf(approvals: number): FrozenPolicy {
  const requirement = { when: null, applies: true, count: approvals / 2 }
  return {
    require: [
      { ...requirement, name: 'finance', from: { role: 'finance' } },
      { ...requirement, name: 'treasury', from: { role: 'treasury' } },
    ],
    excluded: [],
    switchedOff: [],
    approvalTtlMs: 3_600_000,
    assurance: ['authenticated_session'],
    whileRelatedInDoubt: 'warn',
    noApproval: null,
  }
}

function approvalOf(number: number): Approval {
  return {
    approvalId: parseReference(`approval-${number}`, ''),
    decision: 'approve',
    commitment: 'c1_bench',
    approver: { kind: 'user', id: parseReference(`person-${number}`, '') },
    rolesAtDecision: ['finance', 'treasury'],
    assurance: ['authenticated_session'],
    decidedAt: 0,
    expiresAt: 3_600_000 + number,
    revokedAt: null,
  }
}
