// Automatic execution on a server that a replica follows: without a witness a failover could do again what was done.
import process from 'node:process'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { openRuntime } from '../../src/cli/serve/open-runtime.ts'
import { localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import { SILENT } from '../../src/runtime/silent-logger.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { hasAsynchronousReplicas } from '../../src/store/postgres-replicas.ts'
import { rawSql } from '../store/postgres-fixture.ts'
import { newDatabase } from './new-database.ts'
import { AutomaticAction } from './automatic-action.ts'
import { HeldAction } from './held-action.ts'
import { folder } from './run-countersign.ts'

it('trace S14 serve and worker refuse what is executed when approved, unless there is a witness', async () => {
  const database = await newDatabase('replicas')
  const parts = { database, keyring: localKeyring(newKeyringText()), log: SILENT, clock: systemClock }
  expect(await hasAsynchronousReplicas(database)).toBe(false)
  // To the server a replica is a connection that asks for its log.
  const replica = new Client({ connectionString: database, replication: 'true' } as object)
  await replica.connect()
  onTestFinished(() => replica.end())

  // Who may not see how a replica follows takes it for one that nobody waits for.
  const name = `unprivileged_${process.pid}`
  await rawSql(database, 'public', `create role ${name} login password 'only-for-tests'`)
  expect(await hasAsynchronousReplicas(database.replace('postgres:only', `${name}:only`))).toBe(true)

  const automatic = openRuntime({ ...parts, witness: null, actions: [new AutomaticAction()] })
  await expect(automatic).rejects.toThrow('--witness FILE')

  const asked = await openRuntime({ ...parts, witness: null, actions: [new HeldAction()] })
  await asked.store.close()
  const witnessed = await openRuntime({ ...parts, witness: `${folder()}/witness`, actions: [new AutomaticAction()] })
  await witnessed.store.close()
})
