// What keeps the business system from starting: each is one sentence to the one who starts it.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import SqliteDatabase from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBusinessSystem } from '../../../src/testing/business-system/start.ts'
import { temporaryFolder } from './fixture.ts'

describe('a business system does not start', () => {
  it('on a folder, a folder that is not there, or a file that is no database', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'text'), 'This is no database. '.repeat(100))

    expect(await refusalOf(join(folder, 'folder'))).toContain('unable to open database file')
    expect(await refusalOf(join(folder, 'missing', 'business.db'))).toContain('directory does not exist')
    expect(await refusalOf(join(folder, 'text'))).toContain('file is not a database')
  })

  it('on the SQLite file of another program, which stays as it was, byte for byte', async () => {
    const file = join(temporaryFolder(), 'foreign.db')
    const foreign = new SqliteDatabase(file)
    foreign.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (1)')
    foreign.close()
    const before = readFileSync(file)

    expect(await refusalOf(file)).toContain('the file belongs to another program')

    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('on a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => {
      other.close()
    })
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0

    const started = startBusinessSystem({ file: join(temporaryFolder(), 'business.db'), port })

    await expect(started).rejects.toThrow(`listen EADDRINUSE: address already in use 127.0.0.1:${port}`)
  })

  it('by hand: nobody would end it', () => {
    const main = fileURLToPath(new URL('../../../src/testing/business-system/main.ts', import.meta.url))

    const { status, stderr } = spawnSync(process.execPath, [main, '--file=business.db'], { encoding: 'utf8' })

    expect(status).toBe(1)
    expect(stderr).toMatch(/^this process is started by [^\n]*\n$/)
  })
})

async function refusalOf(file: string): Promise<string> {
  const reason = await startBusinessSystem({ file }).then(
    () => 'none: it started',
    (error: Error) => error.message,
  )
  expect(reason).toMatch(/^the example business system cannot use [^\n]*$/)
  return reason
}
