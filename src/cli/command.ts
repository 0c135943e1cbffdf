// Defines a command with the options that every command has.
import type { Command } from 'commander'

/** What every command may be told. */
export interface CommonOptions {
  readonly json?: boolean
}

/**
 * A command below another one, with `--json` and `--verbose`. Give it its arguments, its options, and an `action` that
 * hands an answer to `give`. What takes long to load is imported inside the action, so that `--help` never waits for it.
 */
export function define(
  parent: Command,
  name: string,
  summary: string,
  json: readonly [flags: string, description: string] = ['--json', 'print one line of JSON'],
): Command {
  return parent
    .command(name)
    .description(summary)
    .option(...json)
    .option('--verbose', 'show where an error came from')
    .allowExcessArguments(false)
}

/** A command that only holds others, such as `keys`. */
export function defineGroup(parent: Command, name: string, summary: string): Command {
  return parent.command(name).description(summary)
}
