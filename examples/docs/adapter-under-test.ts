// The adapter under test: a host action with a bug that reads well, the kit that finds it, and the action mended.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Execute, Executed } from 'countersign'
import { actionConformance, BusinessClient, reportText, startBusinessSystem, startHttpGate } from 'countersign/testing'
import { type Refund, RefundAction } from './refund-action.ts'
import { refundWorld, secrets } from './refund-world.ts'

// #region bug
/** Somebody was faster? Read the order again and try once more: the refund is what everybody wants, after all. */
class EagerRefundAction extends RefundAction {
  readonly #business: BusinessClient

  constructor(url: string) {
    super(url)
    this.#business = new BusinessClient(url)
  }

  override async execute(input: Execute<Refund>): Promise<Executed<Refund>> {
    const executed = await super.execute(input)
    if (executed.status !== 'stale_no_effect') return executed
    const { orderVersion } = await this.#business.readOrder(input.snapshot.orderReference, input.signal)
    return super.execute({ ...input, precondition: `order-version:${orderVersion}` })
  }
}
// #endregion

const folder = await mkdtemp(join(tmpdir(), 'countersign-'))
const business = await startBusinessSystem({ file: join(folder, 'business.db') })

// #region test
// The adapter goes through the gate, the kit goes past it.
const gate = await startHttpGate(business.url, { privateNote: secrets[1] })
const world = refundWorld(business, gate)

const eager = await actionConformance(new EagerRefundAction(gate.url), world)
for (const { clause, state, code, sentence } of eager.clauses) {
  if (state === 'failed') console.log(`eager: ${clause}\n  ${code}: ${sentence}`)
}
console.log('eager:', eager.verdict)
console.log()

const mended = await actionConformance(new RefundAction(gate.url), world)
console.log(reportText(mended))
process.exitCode = eager.verdict === 'failed' && mended.verdict === 'passed' ? 0 : 1
// #endregion

await gate.close()
await business.stop()
await rm(folder, { recursive: true })
