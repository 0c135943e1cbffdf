// The loop that a team would write by hand: five durable transactions a lifecycle in three tables, with prepared statements.
import { promisify } from 'node:util'
import Database from 'better-sqlite3'

const BODY = 'b'.repeat(1_000)

const nextTurn = promisify(setImmediate)

/** One unit of it, and its end. It keeps no guards, no receipts' chain, no protection: it is the floor, not an alternative. */
export function handWrittenLoop(file: string): { readonly run: () => Promise<void>; readonly close: () => void } {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(`
    create table proposals (id integer primary key, status text not null, body blob not null) strict;
    create table effects (reference text primary key, owner integer not null) strict, without rowid;
    create table receipts (proposal integer not null, sequence integer not null, body blob not null,
      primary key (proposal, sequence)) strict, without rowid;
  `)
  const insert = db.prepare('insert into proposals values (?, ?, ?)')
  const update = db.prepare('update proposals set status = ? where id = ? and status = ?')
  const claim = db.prepare('insert into effects values (?, ?)')
  const receipt = db.prepare('insert into receipts values (?, ?, ?)')
  const body = Buffer.from(BODY)
  const steps = ['awaiting', 'approved', 'executing', 'pending', 'verified'] as const
  let id = 0
  const step = db.transaction((proposal: number, index: number) => {
    const status = steps[index]
    if (index === 0) insert.run(proposal, status, body)
    else update.run(status, proposal, steps[index - 1])
    if (status === 'executing') claim.run(`effect ${proposal}`, proposal)
    receipt.run(proposal, index + 1, body)
  })
  return {
    run: async () => {
      id += 1
      const proposal = id
      for (let index = 0; index < steps.length; index++) {
        step.immediate(proposal, index)
        await nextTurn()
      }
    },
    close: () => db.close(),
  }
}
