// All commands of the model, each drawn as often as its weight says.
import { fc } from '@fast-check/vitest'
import { authorityCommands } from './commands/authority.ts'
import type { DrawnCommand, Step } from './commands/command.ts'
import type { Expected } from './expected.ts'
import type { Run } from './run.ts'
import { effectCommands } from './commands/effects.ts'
import { episodes } from './commands/episodes.ts'
import { readingCommands } from './commands/reading.ts'
import { timeCommands } from './commands/time.ts'
import { troubleCommands } from './commands/trouble.ts'

/** How many commands a run has at most. */
const COMMANDS_MAX = 24

const ALL: readonly DrawnCommand[] = [
  ...authorityCommands,
  ...effectCommands,
  ...timeCommands,
  ...troubleCommands,
  ...readingCommands,
  ...episodes,
]

/** The commands of a run. `replayPath` repeats a run that failed, as its report says. */
export function commandRuns(replayPath?: string): fc.Arbitrary<Iterable<Step>> {
  const one = fc.oneof(...ALL.map(({ weight, steps }) => ({ weight, arbitrary: steps })))
  return fc.commands<Expected, Run, false>([one], {
    maxCommands: COMMANDS_MAX,
    size: 'max',
    ...(replayPath === undefined ? {} : { replayPath }),
  })
}
