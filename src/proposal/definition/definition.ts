// The definition: an action as it is registered, judged once and read into plain data.
import { limits } from '../../effect/limits.ts'
import type { AnyAction } from '../action.ts'
import type { Contract, Execution, Schemas } from '../contract.ts'
import { type ActionType, checkPermissions, readActionType, readDomains, readVerifies } from './contract-names.ts'
import { readFacts, readMateriality } from './contract-paths.ts'
import { readPolicy } from './contract-policy.ts'
import { type AcceptProof, checkResend, readAcceptProof, readTarget, type Target } from './contract-proof.ts'
import { isUnchecked, readFields, readInteger, type Report, type Unchecked } from './contract-reader.ts'
import { readExecution, readRetention, type Retention } from './contract-upkeep.ts'
import { readTiming, type Timing } from './contract-timing.ts'
import { definitionDigest } from './definition-digest.ts'
import { definitionRules } from './definition-rules.ts'
import type { Materiality } from '../content/drift.ts'
import { DefinitionError, type Problem } from '../errors.ts'
import { schemaProblems, type SchemaRoot } from './schema-check.ts'
import { readSchema, type SchemaShape } from './schema-shape.ts'

export { parseActionType } from './contract-names.ts'

/** A registered action. Everything is normalised: defaults filled in, durations in milliseconds. Spec: lifecycle 3. */
export interface Definition extends Timing {
  readonly action: AnyAction
  /** `namespace/name@version`. */
  readonly type: string
  /** `namespace/name`. */
  readonly name: string
  readonly version: number
  readonly revision: number
  /** The domain of its effects, and earlier ones. */
  readonly domain: string
  readonly formerDomains: readonly string[]
  /** JSON Pointers into the snapshot. */
  readonly facts: readonly string[]
  readonly acceptProof: AcceptProof
  readonly target: Target
  readonly attemptsMax: number
  /** Older versions whose effects it may verify. */
  readonly verifies: readonly number[]
  readonly execution: Execution
  readonly retention: Retention
  readonly materiality: Materiality
  /** A frozen copy, or the function that chooses the policy at prepare. */
  readonly policy: Contract['policy']
  readonly schemas: Schemas
  /** Approvals hold under one digest only. Spec: rules R9. */
  readonly digest: string
}

const contractFields = Object.keys({
  type: true,
  schemas: true,
  lifetime: true,
  policy: true,
  permissions: true,
  facts: true,
  target: true,
  immaterial: true,
  effectDomain: true,
  formerDomains: true,
  revision: true,
  executeTimeout: true,
  inFlight: true,
  verifyTimeout: true,
  hostTimeout: true,
  verification: true,
  acceptProof: true,
  attemptsMax: true,
  verifies: true,
  execution: true,
  retention: true,
} satisfies Record<keyof Contract, true>)

const schemaRoots: readonly SchemaRoot[] = ['command', 'snapshot', 'preview', 'result']
const methods = ['prepare', 'preview', 'resolve', 'execute', 'verify', 'can']
const optionalMethods = ['compareFacts', 'fence', 'cancel']
const revisions = { min: 1, max: Number.MAX_SAFE_INTEGER, fallback: 1 }
const attempts = { min: 1, max: limits.attemptsPerEffect, fallback: 3 }

// Stands in for a type that is refused, so that nothing else is refused because of it.
const unknownType: ActionType = { name: '', version: Number.MAX_SAFE_INTEGER }

/**
 * Registers an action, or refuses it with everything that is wrong with it, at once. Spec: lifecycle 3.
 *
 * @throws DefinitionError
 */
export function define(action: AnyAction): Definition {
  const problems: Problem[] = []
  const report: Report = (path, rule) => void problems.push({ path, rule, message: definitionRules[rule] })
  if (!isUnchecked(action) || !isUnchecked(action.contract)) {
    report('', 'not_an_action')
    throw new DefinitionError('The action', problems)
  }
  const { contract } = action
  const input = readFields(report, contract, '', contractFields)
  checkMethods(report, action)
  checkPermissions(report, contract.permissions)
  const schemas = readSchemas(report, problems, contract.schemas)
  const policy = readPolicy(problems, contract.policy, schemas.snapshot)
  const type = readActionType(report, contract.type) ?? unknownType
  const timing = readTiming(report, input)
  const target = readTarget(report, contract.target)
  const acceptProof = readAcceptProof(report, contract.acceptProof, action)
  checkResend(report, acceptProof, target, timing.executeTimeoutMs + timing.inFlightMs)
  const definition = {
    ...timing,
    ...readDomains(report, contract, type.name),
    action,
    type: contract.type,
    name: type.name,
    version: type.version,
    revision: readInteger(report, contract.revision, '/revision', revisions),
    facts: readFacts(report, contract.facts, schemas.snapshot),
    acceptProof,
    target,
    attemptsMax: readInteger(report, contract.attemptsMax, '/attemptsMax', attempts),
    verifies: readVerifies(report, contract.verifies, type.version),
    execution: readExecution(report, contract.execution),
    retention: readRetention(report, contract.retention),
    materiality: readMateriality(report, contract.immaterial, schemas.snapshot),
    policy: policy.policy,
    schemas: { ...contract.schemas },
  }
  if (problems.length > 0) throw new DefinitionError(contract.type, problems)
  return { ...definition, digest: definitionDigest(definition, { policy: policy.text, shapes: schemas.shapes }) }
}

function checkMethods(report: Report, action: Unchecked): void {
  for (const name of methods) if (typeof action[name] !== 'function') report(`/${name}`, 'method_missing')
  for (const name of optionalMethods) {
    if (action[name] !== undefined && typeof action[name] !== 'function') report(`/${name}`, 'method_missing')
  }
}

interface SchemasRead {
  readonly shapes: readonly SchemaShape[]
  /** Null if it is refused: then paths are not looked up in it. */
  readonly snapshot: SchemaShape | null
}

function readSchemas(report: Report, problems: Problem[], value: unknown): SchemasRead {
  const input = readFields(report, value, '/schemas', schemaRoots)
  const read = schemaRoots.map((root) => {
    const reading = readSchema(input[root])
    const found = schemaProblems(reading, root)
    problems.push(...found)
    return { root, shape: reading.shape, isSound: found.length === 0 }
  })
  const snapshot = read.find(({ root, isSound }) => root === 'snapshot' && isSound)
  return { shapes: read.map(({ shape }) => shape), snapshot: snapshot?.shape ?? null }
}
