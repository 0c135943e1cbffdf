// LangGraph: a graph that is interrupted for the approval, over whichever checkpointer.
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph'
import { effects, NOTE } from './effects.mjs'

const State = Annotation.Root({ id: Annotation(), note: Annotation(), approved: Annotation(), status: Annotation() })

/** `durability`: when a checkpoint is written, beside the next step or before it. */
export function langgraphOn(checkpointer, durability, close) {
  const { next, book, isBooked, done, assertOnce } = effects()
  const graph = new StateGraph(State)
    .addNode('approve', () => ({ approved: interrupt('approve?'), status: 'approved' }))
    .addNode('execute', ({ id }) => {
      book(id)
      return { status: 'pending' }
    })
    .addNode('verify', ({ id }) => ({ status: isBooked(id) ? 'verified' : 'unknown' }))
    .addEdge(START, 'approve')
    .addEdge('approve', 'execute')
    .addEdge('execute', 'verify')
    .addEdge('verify', END)
    .compile({ checkpointer })
  return {
    async run() {
      const id = next()
      const config = { configurable: { thread_id: id }, durability }
      await graph.invoke({ id, note: NOTE }, config)
      const { status } = await graph.invoke(new Command({ resume: true }), config)
      if (status !== 'verified') throw new Error(`It is ${status}`)
      done()
    },
    assertOnce,
    close,
  }
}

export const LACKS = 'no unique effect, no authority, no evidence: a node that was interrupted runs again'
