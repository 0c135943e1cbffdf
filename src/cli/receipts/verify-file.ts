// Verifies a bundle offline, and reports integrity, consistency and outcome apart: none of them stands for another.
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import process from 'node:process'
import type { ChainHead } from '../../proposal/receipts/receipt-chain.ts'
import { type EvidenceReport, verifyEvidence } from '../../proposal/receipts/verify-evidence.ts'
import type { Answer } from '../answer.ts'
import { Unavailable, UsageError } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'

/** `file` is a path, or `-` for standard input; `head` a receipt that was kept elsewhere. */
export async function verifyFile(file: string, head: string | undefined): Promise<Answer> {
  const expectedHead = head === undefined ? undefined : headOf(head)
  const report = verifyEvidence(parsed(await read(file)), expectedHead)
  if (report.kind === 'malformed') {
    const [{ path } = { path: '' }] = report.problems
    throw new Unavailable(`This is no evidence bundle: what is at "${path}" is not what a bundle has there.`)
  }
  const holds = report.integrity.holds && report.consistency.holds && report.outcome.statusAgrees
  return { exit: holds ? EXIT.good : EXIT.failed, data: report, lines: linesOf(report) }
}

async function read(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  } catch {
    throw new Unavailable(`The file ${file} cannot be read.`)
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new Unavailable('This is no evidence bundle: it is not JSON.')
  }
}

function headOf(head: string): ChainHead {
  const [, sequence, hash] = /^(\d{1,9}):([0-9a-f]+)$/.exec(head) ?? []
  if (sequence === undefined || hash === undefined) {
    throw new UsageError('The head must be the sequence and the hash of a receipt, as in 3:9f86….')
  }
  return { sequence: Number(sequence), hash }
}

function linesOf({ integrity, consistency, outcome }: EvidenceReport): readonly string[] {
  const told = ({ sequence, problem }: { readonly sequence: number; readonly problem: string }): string => {
    return `  receipt ${sequence}: ${problem}`
  }
  const also = Object.entries({
    'evidence in conflict': outcome.conflict,
    'duplicate possible': outcome.duplicatePossible,
    [`settled as ${outcome.settled ?? ''}`]: outcome.settled !== null,
  })
  return [
    `integrity    ${integrity.holds ? 'holds' : 'broken'} (${integrity.checked} checked)`,
    ...integrity.problems.map(told),
    `consistency  ${consistency.holds ? 'holds' : 'broken'}`,
    ...consistency.problems.map(told),
    `outcome      ${outcome.evidence ?? 'no attempt'}, status ${outcome.statusAgrees ? 'agrees' : 'disagrees'}`,
    ...also.filter(([, holds]) => holds).map(([words]) => `  ${words}`),
  ]
}
