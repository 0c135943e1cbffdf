// An empty PostgreSQL database for commands to work on.
import process from 'node:process'
import { rawSql, serverUrl } from '../store/postgres-fixture.ts'

/** Makes it on the shared server; answers its address. */
export async function newDatabase(name: string): Promise<string> {
  const url = await serverUrl()
  await rawSql(url, 'public', `create database cli_${process.pid}_${name}`)
  return url.replace(/[^/]*$/u, `cli_${process.pid}_${name}`)
}
