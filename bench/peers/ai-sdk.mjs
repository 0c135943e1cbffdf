// The approval of the AI SDK: a tool call that waits in a list of messages for an answer.
import { generateText, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'
import { effects, NOTE } from './effects.mjs'

export const peer = {
  name: 'AI SDK approval',
  durableOn: null,
  durability: 'none: whoever calls keeps the messages',
  lacks: 'keeps nothing: no store, no unique effect, no authority, no verification, no evidence',
}

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

export async function open() {
  const { next, book, done, assertOnce } = effects()
  const transfer = tool({
    inputSchema: z.object({ id: z.string(), note: z.string() }),
    execute: async ({ id }) => {
      book(id)
      return 'booked'
    },
  })
  const options = { tools: { transfer }, toolApproval: { transfer: 'user-approval' } }
  return {
    async run() {
      const id = next()
      const call = {
        type: 'tool-call',
        toolCallId: id,
        toolName: 'transfer',
        input: JSON.stringify({ id, note: NOTE }),
      }
      const asking = new MockLanguageModelV4({
        doGenerate: async () => ({ content: [call], finishReason: { unified: 'tool-calls' }, usage, warnings: [] }),
      })
      const answering = new MockLanguageModelV4({
        doGenerate: async () => ({
          content: [{ type: 'text', text: 'done' }],
          finishReason: { unified: 'stop' },
          usage,
          warnings: [],
        }),
      })
      const messages = [{ role: 'user', content: 'transfer' }]
      const asked = await generateText({ ...options, model: asking, messages })
      const request = asked.content.find(({ type }) => type === 'tool-approval-request')
      const answer = { type: 'tool-approval-response', approvalId: request.approvalId, approved: true }
      await generateText({
        ...options,
        model: answering,
        messages: [...messages, ...asked.finalStep.response.messages, { role: 'tool', content: [answer] }],
      })
      done()
    },
    assertOnce,
    async close() {},
  }
}
