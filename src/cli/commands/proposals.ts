// countersign proposals: what waits, one proposal in full, and every act on it, through a running server.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { STATUSES, type Status } from '../../proposal/status.ts'
import type { ListInput } from '../../runtime/list.ts'
import { give } from '../answer.ts'
import { type CommonOptions, define, defineGroup } from '../command.ts'

interface ListOptions extends CommonOptions {
  readonly verbose?: true
  readonly status?: readonly Status[]
  readonly action?: string
  readonly requester?: string
  readonly effect?: string
  readonly subject?: string
  readonly due?: true
  readonly needsPerson?: true
  readonly limit?: number
  readonly cursor?: string
}

interface DecideOptions extends CommonOptions {
  readonly commitment: string
  readonly comment?: string
  readonly ifRevision?: number
}

const REFERENCE = ['<proposal>', 'its reference'] as const
const IF_REVISION = ['--if-revision <number>', 'only if it is still at this revision', whole] as const

/** Adds the commands. Spec: harness 6, lifecycle 5 to 9. */
export function addProposals(program: Command): void {
  const proposals = defineGroup(program, 'proposals', 'Look at proposals, decide on them and execute them.')
  addReading(proposals)
  addDeciding(proposals)
  addActing(proposals)
}

function addReading(proposals: Command): void {
  define(proposals, 'list', 'List the proposals that you may see, newest first.')
    .addOption(new Option('--status <status...>', 'only of these').choices(STATUSES))
    .option('--action <name>', 'only of this action, namespace/name')
    .option('--requester <kind:id>', 'only of this requester')
    .option('--effect <reference>', 'only about this effect; needs --action')
    .option('--subject <reference>', 'only about this subject')
    .option('--due', 'only what is due now')
    .option('--needs-person', 'only what waits for a person')
    .option('--limit <number>', 'how many at most, up to 200', whole)
    .option('--cursor <cursor>', 'where the page before ended')
    .action(async (options: ListOptions) => {
      const { listProposals } = await import('../proposals/operations.ts')
      give(await listProposals(listInput(options)), options)
    })
  define(proposals, 'show', 'Show a proposal in full, with the commitment that a decision must name.')
    .argument(...REFERENCE)
    .action(async (proposal: string, options: CommonOptions) => {
      const { showProposal } = await import('../proposals/operations.ts')
      give(await showProposal(proposal), options)
    })
}

function listInput({ status, cursor, json: _json, verbose: _verbose, ...filters }: ListOptions): ListInput {
  return {
    ...filters,
    ...(status !== undefined && { statuses: status }),
    ...(cursor !== undefined && { after: cursor }),
  }
}

function addDeciding(proposals: Command): void {
  const summaries = {
    approve: 'Approve exactly what the commitment stands for.',
    reject: 'Reject a proposal for good.',
  } as const
  for (const decision of ['approve', 'reject'] as const) {
    define(proposals, decision, summaries[decision])
      .argument(...REFERENCE)
      .requiredOption('--commitment <commitment>', 'the one that was shown')
      .option('--comment <text>', 'kept sealed, at most 2,000 characters')
      .option(...IF_REVISION)
      .action(async (proposal: string, options: DecideOptions) => {
        const { decideOnProposal } = await import('../proposals/operations.ts')
        const { commitment, comment, ifRevision } = options
        const more = { ...(comment !== undefined && { comment }), ...(ifRevision !== undefined && { ifRevision }) }
        give(await decideOnProposal(decision, proposal, { commitment, ...more }), options)
      })
  }
}

function addActing(proposals: Command): void {
  define(proposals, 'execute', 'Have everything looked at again and the executor called, at most once.')
    .argument(...REFERENCE)
    .option('--reconcile', 'go on with one verification, if it is due')
    .option(...IF_REVISION)
    .action(async (proposal: string, options: CommonOptions & { reconcile?: true; ifRevision?: number }) => {
      const { executeProposal } = await import('../proposals/operations.ts')
      const { reconcile, ifRevision } = options
      const input = { ...(reconcile && { reconcile }), ...(ifRevision !== undefined && { ifRevision }) }
      give(await executeProposal(proposal, input), options)
    })
  define(proposals, 'reconcile', 'Find out by reading what became of the effect, if that is due.')
    .argument(...REFERENCE)
    .option('--now', 'also if it is not due; for operators')
    .action(async (proposal: string, options: CommonOptions & { now?: true }) => {
      const { reconcileProposal } = await import('../proposals/operations.ts')
      give(await reconcileProposal(proposal, { ...(options.now && { now: true }) }), options)
    })
  define(proposals, 'withdraw', 'Take an open proposal back.')
    .argument(...REFERENCE)
    .option('--reason <code>', 'why, as a code')
    .action(async (proposal: string, options: CommonOptions & { reason?: string }) => {
      const { withdrawProposal } = await import('../proposals/operations.ts')
      const { reason } = options
      give(await withdrawProposal(proposal, { ...(reason !== undefined && { reason }) }), options)
    })
  define(proposals, 'erase', 'Remove all content of a proposal, at once or when its effect is settled.')
    .argument(...REFERENCE)
    .requiredOption('--reason <code>', 'why, as a code; it outlives the content')
    .action(async (proposal: string, options: CommonOptions & { reason: string }) => {
      const { eraseProposal } = await import('../proposals/operations.ts')
      give(await eraseProposal(proposal, { reason: options.reason }), options)
    })
}

function whole(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
