// The story of an erasure: what was private is gone from the files, and what happened is still known.
import assert from 'node:assert/strict'
import type { ProposalRuntime } from 'countersign'
import { agent, fiona, paula } from './cast.ts'
import { tell } from './narrator.ts'
import { personalRefund, PersonalRefundAction } from './personal-refund.ts'
import { lookWhenDue } from './refunds.ts'
import type { Stage } from './stage.ts'

const customer = 'Carla Canary'
const intent = 'the canary sang too loud'
const comment = 'her canary is known to us'
const privateTexts = [customer, `Dear ${customer}`, intent, comment]

/** A naive system deletes the row, or hides it; the bytes stay in the file, in the log beside it, and under a key. */
export async function erasure(stage: Stage): Promise<string> {
  const runtime = await stage.runtime(new PersonalRefundAction(stage.business.url, customer))
  const proposal = await verifiedRefund(stage, runtime)
  // The content is sealed, so it is looked for as it is sealed too, and so is the key that opens it.
  const traces = [...privateTexts.map((text) => Buffer.from(text)), ...(await stage.sealedBytes(proposal))]
  const [shownBefore, bytesBefore] = [await isShown(runtime, proposal), await bytesLeft(stage, traces)]
  assert(shownBefore && bytesBefore > 0, 'whoever does not find what is there proves nothing later')

  tell(`${bytesBefore} bytes of it lie in the files. paula, the privacy officer, has it erased.`)
  const { outcome } = await runtime.erase(paula, proposal, { reason: 'customer_request' })

  const hidden = !(await isShown(runtime, proposal))
  return `${outcome}, content hidden: ${hidden}, bytes left in files: ${await bytesLeft(stage, traces)}`
}

async function verifiedRefund(stage: Stage, runtime: ProposalRuntime): Promise<string> {
  const orderReference = stage.newOrder()
  const { proposal, commitment } = await runtime.prepare(agent, {
    action: personalRefund.type,
    command: { orderReference, intent, amount: { amount: '10.00', currency: 'EUR' } },
  })
  await runtime.approve(fiona, proposal, { commitment, comment })
  tell(`10.00 EUR of ${orderReference} are proposed, approved with a comment, refunded and verified.`)
  await lookWhenDue(stage, runtime, await runtime.execute(agent, proposal))
  return proposal
}

/** Whether somebody who may read the proposal is shown anything private. */
async function isShown(runtime: ProposalRuntime, proposal: string): Promise<boolean> {
  const shown = JSON.stringify(await runtime.read(fiona, proposal))
  return privateTexts.some((text) => shown.includes(text))
}

/** How many bytes of all that is looked for stand in the runtime's files. */
async function bytesLeft(stage: Stage, traces: readonly Buffer[]): Promise<number> {
  const files = await stage.runtimeFiles()
  const found = traces.filter((trace) => files.some((file) => file.includes(trace)))
  return found.reduce((sum, trace) => sum + trace.length, 0)
}
