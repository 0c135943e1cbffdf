// Every status × every command of the lifecycle: what comes out, compared with the committed table beside this file.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import type { Verdict } from '../../../src/proposal/lifecycle/verdict.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { STATUSES, type Status } from '../../../src/proposal/status.ts'
import { type Situation, situations } from './commands.ts'
import { sample } from './sample.ts'

const file = new URL('matrix.txt', import.meta.url)
// `UPDATE_MATRIX=1 npx vitest run test/proposal/lifecycle/matrix.test.ts` prints the table anew; read what changed.
if (process.env['UPDATE_MATRIX'] === '1') writeFileSync(file, table())
const committed = readFileSync(file, 'utf8')
const committedRows = new Set(committed.split('\n'))

describe.each(STATUSES)('lifecycle %s', (status) => {
  it.each(situations.map((one) => ({ ...one, name: `${one.command} ${one.when}` })))(
    `lifecycle ${status} × $name`,
    (situation) => {
      expect(committedRows).toContain(row(status, situation))
    },
  )
})

it('the committed table has these rows and no others', () => {
  expect(committed).toBe(table())
})

it('every command of the lifecycle is a row of the table', () => {
  expect([...new Set(situations.map(({ command }) => command))].sort()).toEqual(Object.keys(lifecycle).sort())
})

function table(): string {
  const heading = [
    'What every command does to a proposal in every status.',
    '',
    '`→` is a move to another status, `+` a stored change that keeps the status, `=` an answer that changes nothing,',
    '`!` a refusal, and `…` lets the operation go on. Behind it stand the outcome with its reason, the receipt with its',
    'detail, and what the proposal then shows to a person, as `!attention`.',
  ]
  const rows = STATUSES.flatMap((status) => ['', ...situations.map((situation) => row(status, situation))])
  return [...heading, ...rows, ''].join('\n')
}

function row(status: Status, situation: Situation): string {
  const before = sample(status)
  const cells = [status, `${situation.command} ${situation.when}`, ...answer(before, situation.run(before))]
  const widths = [24, 52, 27, 50]
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(' ')
    .trimEnd()
}

function answer(before: Proposal, verdict: Verdict | null): readonly string[] {
  if (verdict === null) return ['…']
  switch (verdict.kind) {
    case 'refused':
      return ['!', verdict.code]
    case 'stay':
      return ['=', outcome(verdict)]
    case 'move': {
      const { status, attention } = verdict.proposal
      const becomes = status === before.status ? '+' : `→ ${status}`
      const { type, detail = [] } = verdict.receipt
      const flags = attention.map((flag) => `!${flag}`)
      return [becomes, outcome(verdict), [type, ...detail, ...flags].join(' ')]
    }
  }
}

function outcome({ outcome: what, reason }: { readonly outcome: string; readonly reason: string | null }): string {
  return reason === null ? what : `${what} (${reason})`
}
