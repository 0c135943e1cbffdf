// LangGraph on PostgreSQL: a checkpoint is committed before the next step.
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { LACKS, langgraphOn } from './langgraph.mjs'

export const peer = {
  name: 'LangGraph on PostgreSQL',
  durableOn: 'PostgreSQL',
  durability: 'synchronous_commit=on',
  lacks: LACKS,
}

export async function open({ url }) {
  const saver = PostgresSaver.fromConnString(url)
  await saver.setup()
  return langgraphOn(saver, 'sync', () => saver.end())
}
