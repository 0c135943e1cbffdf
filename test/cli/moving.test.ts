// docs/moving.md, command by command: an older copy that is put back, and the way from a file to a server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { blocksOf } from '../../tools/markdown-blocks.ts'
import { readRepositoryFile, repositoryRoot } from '../../tools/repository.ts'
import { doctor } from '../../src/cli/doctor/doctor.ts'
import { newDatabase } from './new-database.ts'
import { countersign, folder, type Run } from './run-countersign.ts'
import { approvedRefund, control, type ServeUnderTest, startServe } from './served.ts'

const URL_ON_PAGE = 'postgres://app@localhost/app'
const { PATH = '' } = process.env

const environmentSchema = z.object({
  DATABASE_URL: z.string(),
  COUNTERSIGN_KEYS: z.string(),
  COUNTERSIGN_WITNESS: z.string(),
})

it('trace S14 what the page says is done, and nothing is sent twice or lost on the way', async () => {
  const [acknowledge = '', move = '', serve = ''] = shellBlocks()
  const cwd = folder()
  const db = join(cwd, 'countersign.db')
  const first = await startServe({ cwd })
  const refund = await approvedRefund(first)
  await stopped(first, 'SIGTERM')
  copyFileSync(db, `${db}.backup`)
  const second = await startServe({ cwd })
  expect(await executed(second, refund)).toMatchObject({ outcome: 'verification_pending' })
  await stopped(second, 'SIGKILL')
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${db}${suffix}`, { force: true })
  copyFileSync(`${db}.backup`, db)

  const third = await startServe({ cwd })
  expect(await executed(third, refund)).toMatchObject({ outcome: 'blocked', reason: 'restore_unacknowledged' })
  const { lines } = await doctor(db, { keys: undefined, witness: `${db}.witness` })
  expect(lines.join('\n')).toContain(
    'Nothing is admitted (behind: the store knows of 0 admissions and its witness of 1)',
  )
  const acknowledged = await shell(cwd, acknowledge)
  expect(acknowledged.stdout).toContain('Nothing is admitted: number 1, behind')
  expect(acknowledged.stdout).toContain('by user:olga, backup_restored.')
  expect(await executed(third, refund)).toMatchObject({ status: 'failed_unknown', reason: 'lost_call_found' })
  expect(await counts(third)).toEqual([1])

  const waiting = await approvedRefund(third, { orderReference: 'ORD-1002' })
  await stopped(third, 'SIGTERM')
  const url = await newDatabase('moved')
  const moved = await shell(cwd, move, url)
  expect(moved).toMatchObject({ exitCode: 0, stderr: '' })
  expect(moved.stdout).toContain('every chain and all evidence of 2 proposals, tenants: 1.')
  expect(moved.stdout + moved.stderr).not.toContain('only-for-tests')
  const old = await countersign(['serve', '--port', '0'], { cwd })
  expect(old).toMatchObject({ exitCode: 2, stdout: '' })
  expect(old.stderr).toContain('closed to be moved')

  // The business system of the example is the same one, beside another database.
  copyFileSync(`${db}.business`, join(cwd, 'countersign.business'))
  const { stdout: environment } = await shell(cwd, serve, url)
  const onServer = await startServe({ cwd, env: environmentSchema.parse(JSON.parse(environment)) })
  expect(await executed(onServer, refund)).toMatchObject({ status: 'failed_unknown' })
  expect(await executed(onServer, waiting)).toMatchObject({ outcome: 'blocked', reason: 'restore_unsettled' })
  expect(await counts(onServer)).toEqual([1])
})

function shellBlocks(): readonly string[] {
  const blocks = blocksOf(readRepositoryFile('docs/moving.md')).filter(({ language }) => language === 'sh')
  return blocks.map(({ text }) => text)
}

/** Runs a block of the page as it stands there, with another address; of `serve` the answer is its environment. */
async function shell(cwd: string, block: string, url = URL_ON_PAGE): Promise<Run> {
  const bin = join(cwd, 'bin')
  mkdirSync(bin, { recursive: true })
  const main = join(repositoryRoot, 'src/cli/main.ts')
  const npx = `#!/bin/sh
test "$1" = countersign || exit 127
shift
if test "$1" = serve; then exec '${process.execPath}' -p 'JSON.stringify(process.env)'; fi
exec '${process.execPath}' --conditions=countersign-source '${main}' "$@"
`
  writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 })
  const child = spawn('sh', ['-c', block.replaceAll(URL_ON_PAGE, url)], {
    cwd,
    env: { PATH: `${bin}:${PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk
    })
  }
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { ...output, exitCode }
}

async function stopped({ child, ended }: ServeUnderTest, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  child.kill(signal)
  await ended
}

async function executed(server: ServeUnderTest, proposal: string): Promise<unknown> {
  return (await server.ask(`/v1/proposals/${proposal}/execute`, 'requester', {})).body
}

/** How often each effect is there. */
async function counts(server: ServeUnderTest): Promise<readonly number[]> {
  const effects = z.array(z.looseObject({ count: z.int() })).parse(await control(server, '/_effects'))
  return effects.map(({ count }) => count)
}
