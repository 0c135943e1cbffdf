#!/usr/bin/env node
// The command "countersign": runs what the arguments ask for, and exits with a code that a script can rely on.
import process from 'node:process'
import { CommanderError } from 'commander'
import { assertSuitableNode } from '../runtime/suitable-node.ts'
import { EXIT } from './exit-codes.ts'
import { Unavailable, UsageError } from './errors.ts'
import { program } from './program.ts'

// Whoever reads may stop reading, as `head` does: then there is nobody left to write to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? process.exitCode : EXIT.unavailable)
})

try {
  demandNode()
  await program().parseAsync()
} catch (error) {
  await end(error)
}

function demandNode(): void {
  try {
    assertSuitableNode(process.versions.node)
  } catch (error) {
    throw new Unavailable(error instanceof Error ? error.message : '')
  }
}

/** Commander ends by throwing too, also after `--help`. */
async function end(error: unknown): Promise<void> {
  if (error instanceof CommanderError && error.exitCode === 0) return
  const { reportError } = await import('./report-error.ts')
  const reported = error instanceof CommanderError ? new UsageError(usageSentence(error)) : error
  process.exitCode = reportError(reported, { verbose: process.argv.includes('--verbose') })
}

function usageSentence({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'Name a command; --help lists them.'
  // What follows an equals sign may be a secret that does not belong there.
  const sentence = message
    .replace(/^error: /, '')
    .replace(/=[^']*'/, "=…'")
    .replaceAll(/\s+/g, ' ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replace(/\.$/, '')}.`
}
