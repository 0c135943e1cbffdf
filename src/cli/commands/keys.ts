// countersign keys: makes a key file, adds a key to it, and wraps stored keys anew under the newest one.
import type { Command } from 'commander'
import type { Rotation } from '../../runtime/keys/rotate-keys.ts'
import { type Answer, give } from '../answer.ts'
import { type CommonOptions, define, defineGroup } from '../command.ts'
import { DB_OPTION, databasePath, KEYS_OPTION, openDatabase, openKeys } from '../database.ts'
import { EXIT } from '../exit-codes.ts'

interface RotateOptions extends CommonOptions {
  readonly db?: string
  readonly keys?: string
}

/** Adds the commands. No key is ever printed. Spec: policy-and-protection 4. */
export function addKeys(program: Command): void {
  const keys = defineGroup(program, 'keys', 'Make, add and rotate the keys that seal content.')
  define(keys, 'new', 'Make a key file that only its owner can read.')
    .argument('<file>', 'a path that is free')
    .action(async (file: string, options: CommonOptions) => give(await make(file), options))
  define(keys, 'add', 'Add a key, which is the current one from then on.')
    .argument('<file>', 'a key file')
    .action(async (file: string, options: CommonOptions) => give(await add(file), options))
  define(keys, 'rotate', 'Wrap every stored key anew under the current key; may be interrupted and repeated.')
    .option(...DB_OPTION)
    .option(...KEYS_OPTION)
    .action(async (options: RotateOptions) => give(await rotate(options), options))
}

async function make(file: string): Promise<Answer> {
  const { createKeyFile } = await import('../../runtime/keys/key-file.ts')
  await createKeyFile(file)
  return {
    exit: EXIT.good,
    data: { file },
    lines: [`Made ${file}. Keep it apart from the database's backups: together they open everything.`],
  }
}

async function add(file: string): Promise<Answer> {
  const { addKeyToFile } = await import('../../runtime/keys/key-file.ts')
  const { version } = await addKeyToFile(file)
  return {
    exit: EXIT.good,
    data: { file, version },
    lines: [`Added ${version} to ${file}. "countersign keys rotate" wraps what is stored under it.`],
  }
}

async function rotate(options: RotateOptions): Promise<Answer> {
  const { rotateKeys } = await import('../../runtime/keys/rotate-keys.ts')
  const database = databasePath(options.db)
  const keyring = await openKeys(options.keys, database)
  const store = await openDatabase(database)
  try {
    const rotation = await rotateKeys({ store, keyring })
    const isDone = rotation.failed.length === 0 && rotation.stillUnder.length === 0
    return { exit: isDone ? EXIT.good : EXIT.failed, data: rotation, lines: told(rotation) }
  } finally {
    await store.close()
  }
}

function told({ version, rewrapped, failed, stillUnder }: Rotation): readonly string[] {
  return [
    `Wrapped ${rewrapped} keys anew under ${version}.`,
    ...failed.map(({ tenant, proposal, kekVersion, answer }) => {
      return `Not wrapped anew: ${proposal} of ${tenant}, under ${kekVersion}, which is ${answer}.`
    }),
    ...(stillUnder.length === 0 ? [] : [`Still in use: ${stillUnder.join(', ')}. Keep it, and rotate again.`]),
  ]
}
