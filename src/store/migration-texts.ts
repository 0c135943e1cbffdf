// Migrations as text: what they would run, and the checksum by which they are known.
import { type Dialect, Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { framed, sha256 } from '../effect/hash.ts'

/** Migrations by name; their order is that of their names. */
export type Migrations = Readonly<Record<string, Migration>>

/** A migration as text. */
export interface MigrationText {
  readonly name: string
  readonly statements: readonly string[]
  /** SHA-256 over the statements, hex. */
  readonly checksum: string
}

/** The statements of every migration in the language of a dialect, whose driver does nothing. */
export async function textsOf(migrations: Migrations, dialect: Dialect): Promise<readonly MigrationText[]> {
  const texts: MigrationText[] = []
  for (const name of Object.keys(migrations).sort()) {
    const statements: string[] = []
    const recorder = new Kysely<unknown>({
      dialect,
      log(event) {
        statements.push(event.query.sql)
      },
    })
    await migrations[name]?.up(recorder)
    texts.push({ name, statements, checksum: Buffer.from(sha256(framed(statements))).toString('hex') })
  }
  return texts
}
