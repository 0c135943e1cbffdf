// LangGraph on SQLite as it comes: checkpoints are written beside the next step.
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { LACKS, langgraphOn } from './langgraph.mjs'

export const peer = {
  name: 'LangGraph on SQLite, default',
  durableOn: null,
  durability: 'synchronous=NORMAL as the driver has it in WAL mode, and a checkpoint is written beside the next step',
  lacks: LACKS,
}

export async function open({ file }) {
  const saver = SqliteSaver.fromConnString(file)
  return langgraphOn(saver, 'async', async () => saver.db.close())
}
