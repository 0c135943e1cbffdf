// The lifecycle scenarios: what can go wrong around a refund, one story and one line of output each.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  competingProposal,
  drift,
  driftWithReplacement,
  expiry,
  finalRace,
  selfApproval,
} from './lifecycle-scenarios/authority-stories.ts'
import { erasure } from './lifecycle-scenarios/erasure-story.ts'
import { finalAbsence, lostResponse, verification } from './lifecycle-scenarios/evidence-stories.ts'
import { restart } from './lifecycle-scenarios/restart-story.ts'
import { Stage } from './lifecycle-scenarios/stage.ts'

/** A story has an order of its own, and answers how it ended; any other ending than this one is an error. */
interface Scenario {
  readonly name: string
  readonly ending: string
  readonly story: (stage: Stage) => Promise<string>
}

const scenarios: readonly Scenario[] = [
  { name: 'drift', ending: 'stale, executor calls: 0', story: drift },
  { name: 'drift with replacement', ending: 'stale, fresh proposal: awaiting_approval', story: driftWithReplacement },
  { name: 'final race', ending: 'stale_no_effect, refunds: 0', story: finalRace },
  { name: 'expiry', ending: 'expired', story: expiry },
  { name: 'competing proposal', ending: 'replayed, executor calls: 1', story: competingProposal },
  { name: 'verification', ending: 'verification_pending -> verified', story: verification },
  { name: 'lost response', ending: 'failed_unknown -> verified, refunds: 1', story: lostResponse },
  { name: 'final absence', ending: 'resend_allowed -> verified, attempts: 2, refunds: 1', story: finalAbsence },
  { name: 'self-approval', ending: 'refused', story: selfApproval },
  { name: 'restart', ending: 'executing -> verified, refunds: 1', story: restart },
  { name: 'erasure', ending: 'erased, content hidden: true, bytes left in files: 0', story: erasure },
]

const folder = await mkdtemp(join(tmpdir(), 'countersign-'))
try {
  const stage = await Stage.open(folder)
  try {
    for (const scenario of scenarios) await play(scenario, stage)
  } finally {
    await stage.close()
  }
} finally {
  await rm(folder, { recursive: true })
}

// The lines go to standard output, all else to standard error. A story that ends otherwise does not stop the others.
async function play({ name, ending, story }: Scenario, stage: Stage): Promise<void> {
  const actual = await story(stage).catch((error: unknown) => {
    console.error(error)
    return `threw ${error instanceof Error ? error.name : typeof error}`
  })
  console.log(`${name}: ${actual}`)
  if (actual === ending) return
  console.error(`expected: ${name}: ${ending}\nactual:   ${name}: ${actual}`)
  process.exitCode = 1
}
