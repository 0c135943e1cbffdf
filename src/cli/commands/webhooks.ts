// countersign webhooks: lists what endpoints did not take, and makes it due again.
import type { Command } from 'commander'
import type { Undelivered } from '../../runtime/deliver/dead-letters.ts'
import { type Answer, give } from '../answer.ts'
import { type CommonOptions, define, defineGroup } from '../command.ts'
import { DB_OPTION, databasePath, openDatabase } from '../database.ts'
import { EXIT } from '../exit-codes.ts'
import { printable } from '../printable.ts'

interface ListOptions extends CommonOptions {
  readonly db?: string
  readonly tenant?: string
}

interface ReplayOptions extends ListOptions {
  readonly proposal?: string
}

const TENANT_OPTION = ['--tenant <tenant>', 'of this tenant only (default: of all)'] as const

/** Adds the commands. Whoever holds the database may see and replay all of it. Spec: http "Webhooks out". */
export function addWebhooks(program: Command): void {
  const webhooks = defineGroup(program, 'webhooks', 'See what could not be delivered, and replay it.')
  define(webhooks, 'list', 'List dead letters, and endpoints that are disabled.')
    .option(...DB_OPTION)
    .option(...TENANT_OPTION)
    .action(async (options: ListOptions) => give(await list(options), options))
  define(webhooks, 'replay', 'Make due at once what an endpoint did not take; it is used again if it was disabled.')
    .argument('<endpoint>', 'its id')
    .option(...DB_OPTION)
    .option(...TENANT_OPTION)
    .option('--proposal <proposal>', 'of this proposal only (default: of all)')
    .action(async (endpoint: string, options: ReplayOptions) => give(await replay(endpoint, options), options))
}

async function list({ db, tenant }: ListOptions): Promise<Answer> {
  const { listUndelivered } = await import('../../runtime/deliver/dead-letters.ts')
  const store = await openDatabase(databasePath(db))
  try {
    const undelivered = await listUndelivered(store, tenant === undefined ? {} : { tenant })
    const isEmpty = undelivered.deadLetters.length === 0 && undelivered.disabled.length === 0
    return { exit: isEmpty ? EXIT.good : EXIT.failed, data: undelivered, lines: told(undelivered) }
  } finally {
    await store.close()
  }
}

function told({ deadLetters, disabled }: Undelivered): readonly string[] {
  if (deadLetters.length === 0 && disabled.length === 0) return ['Nothing waits for a person.']
  return [
    ...disabled.map(({ tenant, endpoint, disabledAt }) => {
      return printable(`${endpoint} wants no more events of ${tenant}, since ${new Date(disabledAt).toISOString()}.`)
    }),
    ...deadLetters.map(({ tenant, endpoint, proposal, type, failures, reason }) => {
      return printable(
        `${endpoint} did not take ${type} of ${proposal} (${tenant}): ${reason}, after ${failures} tries.`,
      )
    }),
  ]
}

async function replay(endpoint: string, { db, tenant, proposal }: ReplayOptions): Promise<Answer> {
  const { replayDeliveries } = await import('../../runtime/deliver/dead-letters.ts')
  const store = await openDatabase(databasePath(db))
  try {
    const of = { ...(tenant === undefined ? {} : { tenant }), ...(proposal === undefined ? {} : { proposal }) }
    const replayed = await replayDeliveries(store, { endpoint, ...of })
    return { exit: EXIT.good, data: { replayed }, lines: [`Due at once: the events of ${replayed} proposals.`] }
  } finally {
    await store.close()
  }
}
