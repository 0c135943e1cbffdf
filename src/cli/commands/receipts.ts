// countersign receipts: exports the chain and the evidence of a proposal, and verifies such a bundle anywhere.
import type { Command } from 'commander'
import type { EvidenceBundle } from '../../proposal/receipts/evidence-bundle.ts'
import { give } from '../answer.ts'
import { type CommonOptions, define, defineGroup } from '../command.ts'
import { databasePath } from '../database.ts'
import { UsageError } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { printableJson } from '../printable.ts'

interface ExportOptions extends CommonOptions {
  readonly db?: string
  readonly tenant?: string
}

interface VerifyOptions extends CommonOptions {
  readonly head?: string
}

/** Adds the commands. Spec: lifecycle 10, harness 6. */
export function addReceipts(program: Command): void {
  const receipts = defineGroup(program, 'receipts', 'Export and verify the receipts and the evidence of a proposal.')
  define(receipts, 'export', 'Print the bundle of a proposal as JSON: references, codes, times and hashes, no content.')
    .argument('<proposal>', 'its reference')
    .option('--db <file>', 'read this database file instead of asking a running server')
    .option('--tenant <tenant>', 'whose proposal it is; needed for a file')
    .action(async (proposal: string, options: ExportOptions) => {
      const bundle = await exported(proposal, options)
      give({ exit: EXIT.good, data: bundle, lines: [printableJson(bundle)] }, options)
    })
  define(receipts, 'verify', 'Verify a bundle offline: its integrity, its consistency, and what it shows.')
    .argument('<file>', 'a bundle, or - for standard input')
    .option('--head <sequence:hash>', 'a receipt that was kept elsewhere and must be in the chain')
    .action(async (file: string, options: VerifyOptions) => {
      const { verifyFile } = await import('../receipts/verify-file.ts')
      give(await verifyFile(file, options.head), options)
    })
}

async function exported(proposal: string, { db, tenant }: ExportOptions): Promise<EvidenceBundle> {
  if (db === undefined) {
    if (tenant !== undefined) throw new UsageError('--tenant is for a database file, with --db.')
    const { connect } = await import('../proposals/connect.ts')
    return connect().exportEvidence(proposal)
  }
  if (tenant === undefined) throw new UsageError('A database file needs --tenant.')
  const { exportFromFile } = await import('../receipts/export-file.ts')
  return exportFromFile(databasePath(db), tenant, proposal)
}
