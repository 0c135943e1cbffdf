// The fuzzer on the app: requests drawn from its own document, in memory and on databases, each held against every check.
import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../src/http/endpoints.ts'
import { fuzz } from './fuzz/campaign.ts'

const SEED = 20_261_130
/** On a machine that is busy with other tests. */
const TIMEOUT_MS = 1_800_000

const KINDS = ['positive', 'negative', 'no credentials', 'bad credentials', 'missing header', 'unsupported method']

// A few runs may draw fewer cases than runs do on average.
describe.each([
  { store: 'memory', cases: 20_000, drawn: 20_000, operations: ENDPOINTS.map(({ operationId }) => operationId) },
  {
    store: 'sqlite',
    cases: 1_000,
    drawn: 1_000,
    operations: ['readProposal', 'listProposals', 'eraseProposal', 'executeProposal'],
  },
  { store: 'postgres', cases: 200, drawn: 300, operations: ['readProposal', 'listProposals'] },
] as const)('$cases cases on $store', ({ store, cases, drawn, operations }) => {
  it('are answered as the document says, change nothing where they are refused, and tell nobody what is not theirs', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { counts } = await fuzz({ store, cases: drawn, seed: SEED })

    expect(counts.get('cases')).toBeGreaterThanOrEqual(cases)
    expect(KINDS.filter((kind) => !counts.has(`kind ${kind}`))).toEqual([])
    // Refusals alone would show little.
    expect(operations.filter((name) => ![...counts.keys()].some((one) => one.startsWith(`${name} 20`)))).toEqual([])
  })
})
