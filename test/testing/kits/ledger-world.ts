// The world around the ledger in process.
import type { ActionWorld, WorldFault } from '../../../src/testing.ts'
import type { CreditContract } from './credit-action.ts'
import type { Ledger, LedgerFault } from './ledger.ts'

const NOTE = 'canary-note-7f3a91'
const INTENT = 'canary-intent-c04d'

/** A world that can do everything that the kit asks for. */
export function ledgerWorld(ledger: Ledger): ActionWorld<CreditContract> {
  let commands = 0
  const fault = (name: LedgerFault) => async (): Promise<void> => ledger.fault(name)
  const faults: Readonly<Record<WorldFault, () => Promise<void>>> = {
    commit_then_drop: fault('commit_then_drop'),
    drop_before_commit: fault('drop_before_commit'),
    lagging_reads: fault('lagging_reads'),
    truncated: fault('truncated'),
    async outage() {
      ledger.isDown = true
    },
  }
  return {
    async command() {
      commands += 1
      const account = ledger.open(NOTE)
      return { account, intent: `${INTENT}-${commands}`, amount: { amount: '12.50', currency: 'EUR' } }
    },
    effects: async ({ account }) => ledger.credits.filter((credit) => credit.account === account).length,
    writes: async () => ledger.writes,
    changes: {
      'a deposit': async ({ account }) =>
        ledger.change(account, { balance: (await ledger.read(account)).balance + 100 }),
      'a change that changes nothing': async ({ account }) => {
        ledger.change(account, { balance: (await ledger.read(account)).balance })
      },
    },
    immaterialChanges: { 'another label': async ({ account }) => ledger.change(account, { label: 'second label' }) },
    beforeNextWrite(act) {
      ledger.beforeWrite = act
    },
    faults,
    async heal() {
      ledger.isDown = false
    },
    async duplicate(_command, key) {
      const credit = ledger.credits.find((one) => one.key === key)
      if (credit !== undefined) ledger.credits.push({ ...credit, id: `${credit.id}-again` })
    },
    async alter(_command, key) {
      ledger.credits = ledger.credits.map((credit) => (credit.key === key ? { ...credit, cents: 99 } : credit))
    },
    removes: false,
    secrets: [NOTE, INTENT],
  }
}
