// xstate, persisted by hand: one row an actor, its snapshot written in a transaction of its own after each event.
import Database from 'better-sqlite3'
import { createActor, setup } from 'xstate'
import { effects, NOTE } from './effects.mjs'

export const peer = {
  name: 'xstate, persisted by hand',
  durableOn: 'SQLite',
  durability: 'synchronous=FULL, five transactions',
  lacks: 'no history, no unique effect, no policy, no evidence: one row is overwritten',
}

const machine = setup({}).createMachine({
  context: ({ input }) => input,
  initial: 'awaiting',
  states: {
    awaiting: { on: { approve: 'approved' } },
    approved: { on: { execute: 'executing' } },
    executing: { on: { accepted: 'pending' } },
    pending: { on: { found: 'verified' } },
    verified: { type: 'final' },
  },
})

export async function open({ file }) {
  const db = new Database(file)
  db.pragma('journal_mode = wal')
  db.pragma('synchronous = full')
  db.exec('create table actors (id text primary key, snapshot text not null) strict')
  const insert = db.prepare('insert into actors values (?, ?)')
  const update = db.prepare('update actors set snapshot = ? where id = ?')
  const select = db.prepare('select snapshot from actors where id = ?').pluck()
  const { next, book, isBooked, done, assertOnce } = effects()
  const send = async (id, type) => {
    const actor = createActor(machine, { snapshot: JSON.parse(select.get(id)) }).start()
    actor.send({ type })
    update.run(JSON.stringify(actor.getPersistedSnapshot()), id)
    actor.stop()
    await new Promise(setImmediate)
  }
  return {
    async run() {
      const id = next()
      const actor = createActor(machine, { input: { id, note: NOTE } }).start()
      insert.run(id, JSON.stringify(actor.getPersistedSnapshot()))
      await new Promise(setImmediate)
      await send(id, 'approve')
      await send(id, 'execute')
      book(id)
      await send(id, 'accepted')
      if (!isBooked(id)) throw new Error('Not found')
      await send(id, 'found')
      done()
    },
    assertOnce,
    async close() {
      db.close()
    },
  }
}
