// LangGraph on SQLite, made durable: a checkpoint is on the disk before the next step.
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { LACKS, langgraphOn } from './langgraph.mjs'

export const peer = {
  name: 'LangGraph on SQLite, durable',
  durableOn: 'SQLite',
  durability: 'synchronous=FULL, checkpoints before the next step',
  lacks: LACKS,
}

export async function open({ file }) {
  const saver = SqliteSaver.fromConnString(file)
  saver.db.pragma('journal_mode = wal')
  saver.db.pragma('synchronous = full')
  return langgraphOn(saver, 'sync', async () => saver.db.close())
}
