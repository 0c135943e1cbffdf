// Mastra on LibSQL: a workflow that is suspended for the approval.
import { Mastra } from '@mastra/core/mastra'
import { createStep, createWorkflow } from '@mastra/core/workflows'
import { LibSQLStore } from '@mastra/libsql'
import { z } from 'zod'
import { effects, NOTE } from './effects.mjs'

export const peer = {
  name: 'Mastra on LibSQL',
  durableOn: null,
  durability: 'synchronous=NORMAL, as it sets it itself: a power cut may lose what was acknowledged',
  lacks: 'no unique effect, no authority, no evidence; one snapshot a run is overwritten',
}

export async function open({ file }) {
  const { next, book, isBooked, done, assertOnce } = effects()
  const shape = z.object({ id: z.string(), note: z.string() })
  const approve = createStep({
    id: 'approve',
    inputSchema: shape,
    outputSchema: shape,
    resumeSchema: z.object({ approved: z.boolean() }),
    execute: async ({ inputData, resumeData, suspend }) => (resumeData?.approved ? inputData : suspend({})),
  })
  const execute = createStep({
    id: 'execute',
    inputSchema: shape,
    outputSchema: shape,
    execute: async ({ inputData }) => {
      book(inputData.id)
      return inputData
    },
  })
  const verify = createStep({
    id: 'verify',
    inputSchema: shape,
    outputSchema: z.object({ found: z.boolean() }),
    execute: async ({ inputData }) => ({ found: isBooked(inputData.id) }),
  })
  const transfer = createWorkflow({
    id: 'transfer',
    inputSchema: shape,
    outputSchema: z.object({ found: z.boolean() }),
  })
    .then(approve)
    .then(execute)
    .then(verify)
    .commit()
  const storage = new LibSQLStore({ id: 'bench', url: `file:${file}` })
  const mastra = new Mastra({ workflows: { transfer }, storage, logger: false })
  const workflow = mastra.getWorkflow('transfer')
  return {
    async run() {
      const run = await workflow.createRun()
      await run.start({ inputData: { id: next(), note: NOTE } })
      const { status, result } = await run.resume({ step: 'approve', resumeData: { approved: true } })
      if (status !== 'success' || !result.found) throw new Error(`It is ${status}`)
      done()
    },
    assertOnce,
    async close() {
      await mastra.shutdown?.()
    },
  }
}
