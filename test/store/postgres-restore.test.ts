// The gate of restores on PostgreSQL: a server that is put back, one that takes over, and a database made from another one.
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ActionHeldError } from '../../src/effect/calls/action-error.ts'
import { parseReasonCode, parseReference } from '../../src/effect/reference.ts'
import { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { postgresStore } from '../../src/postgres.ts'
import { witnessFile } from '../../src/sqlite.ts'
import { newServer } from '../postgres/server.ts'
import { rawSql } from './postgres-fixture.ts'

it('trace S14 a server that was put back, or that took over, is found out at the next connection, and a copied database when it is opened', async () => {
  const server = await newServer('18')
  const folder = mkdtempSync(join(tmpdir(), 'countersign-witness-'))
  const opened: Store[] = []
  onTestFinished(async () => {
    for (const store of opened) await store.close()
    await server.remove()
    rmSync(folder, { recursive: true, force: true })
  })
  const open = async (url: string, witness: string): Promise<Store> => {
    const store = await postgresStore({ url, connectionsMax: 2, witness: witnessFile(join(folder, witness)) })
    opened.push(store)
    return store
  }
  let calls = 0
  const charge = (store: Store, key: string) => {
    return new ActionRunner({ store }).execute('charge', () => (calls += 1), {
      request: { amount: 1 },
      idempotencyKey: key,
    })
  }
  const first = await open(server.url, 'one')
  expect((await charge(first, 'order-1')).status).toBe('CONFIRMED')
  await server.stop()
  execFileSync('cp', ['-a', server.data, join(folder, 'backup')])
  await server.start()
  expect((await charge(first, 'order-2')).status).toBe('CONFIRMED')
  await server.stop()
  execFileSync('rm', ['-rf', server.data])
  execFileSync('cp', ['-a', join(folder, 'backup'), server.data])
  await server.start()

  // The store has been in use all the time; only its connections are new.
  await expect(charge(first, 'order-2')).rejects.toBeInstanceOf(ActionHeldError)
  expect((await first.restore()).open).toMatchObject({ finding: 'behind', admissions: 1, witnessed: 2 })
  expect(calls).toBe(2)

  // Another server that had not been told is held by the same row.
  const second = await open(server.url, 'one')
  await expect(charge(second, 'order-3')).rejects.toBeInstanceOf(ActionHeldError)
  const by = parseReference('user:olga', '')
  await second.acknowledgeRestore(by, parseReasonCode('backup_restored', ''))
  expect(await first.restore()).toMatchObject({ open: null, last: { finding: 'behind', acknowledged: { by } } })

  // Another server takes over, which may lack what this one acknowledged: its timeline is another one.
  await server.stop()
  writeFileSync(join(server.data, 'recovery.signal'), '')
  chmodSync(join(server.data, 'recovery.signal'), 0o666)
  appendFileSync(join(server.data, 'postgresql.auto.conf'), `restore_command = 'false'\n`)
  await server.start()
  await expect(charge(second, 'order-3')).rejects.toBeInstanceOf(ActionHeldError)
  expect((await second.restore()).open).toMatchObject({ number: 2, finding: 'changed', admissions: 1 })
  await second.acknowledgeRestore(by, parseReasonCode('failed_over', ''))

  for (const store of opened.splice(0)) await store.close()
  await rawSql(server.url, 'public', 'create database copied template postgres')
  const copied = await open(server.url.replace(/postgres$/u, 'copied'), 'one')
  await expect(charge(copied, 'order-4')).rejects.toBeInstanceOf(ActionHeldError)
  expect((await copied.restore()).open).toMatchObject({ finding: 'changed' })
  expect(calls).toBe(2)
})
