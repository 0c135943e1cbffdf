// `serve` as it is installed: compiled to JavaScript, and with a package missing of those that it needs.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../../tools/repository.ts'
import { folder } from './run-countersign.ts'
import { approvedRefund, spawnServe, startServe } from './served.ts'

const needed = [
  '@hono/node-server',
  'better-sqlite3',
  'commander',
  'hono',
  'hono-openapi',
  'kysely',
  'pino',
  'prom-client',
  'ulid',
  'zod',
]

it('runs from JavaScript with nothing but its name, and without swagger-ui-dist, whose page alone is missing', async () => {
  const cwd = folder()
  await installInto(cwd, needed)

  const server = await startServe({ cwd, main: join(cwd, 'dist/cli/main.js') })
  const ref = await approvedRefund(server)

  expect((await server.ask(`/v1/proposals/${ref}/execute`, 'requester', {})).body).toMatchObject({
    outcome: 'verification_pending',
  })
  expect((await fetch(`${server.url}/openapi.json`)).status).toBe(200)
  expect(server.log()).toContain('/docs needs the package swagger-ui-dist: npm install swagger-ui-dist')
})

it('names the document of the API where the page for it is not installed', async () => {
  const cwd = folder()
  await installInto(cwd, needed)

  const { child } = spawnServe({ cwd, args: ['--port', '0'], main: join(cwd, 'dist/cli/main.js') })
  const [greeting] = (await once(child.stdout, 'data')) as [Buffer]

  expect(String(greeting)).toMatch(/^Countersign listens on \S+; its API is described at \S+\/openapi\.json\.\n/)
})

it('says once what is to be installed, where all of it is missing', async () => {
  const cwd = folder()
  await installInto(cwd, ['commander', 'kysely', 'ulid', 'zod'])

  const run = promisify(execFile)(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0'], { cwd })

  await expect(run).rejects.toMatchObject({
    code: 2,
    stderr:
      'countersign: "countersign serve" needs what is not installed: ' +
      'npm install pino @hono/node-server better-sqlite3 hono hono-openapi prom-client.\n',
  })
})

it.each(['pino', '@hono/node-server', 'hono', 'hono-openapi', 'prom-client', 'better-sqlite3'])(
  'says in one sentence that %s is to be installed, where it is missing',
  async (missing) => {
    const cwd = folder()
    const installed = needed.filter((name) => name !== missing)
    await installInto(cwd, installed)

    const run = promisify(execFile)(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0'], {
      cwd,
      env: { LOG_LEVEL: 'silent' },
    })

    await expect(run).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^countersign: [^\\n]*: npm install ${missing}(?:@\\d+)?\\.?\\n$`),
      ) as string,
    })
  },
)

/** Installs the package as it is published, and beside it the packages named. */
async function installInto(cwd: string, packages: readonly string[]): Promise<void> {
  for (const name of packages) {
    const path = join(cwd, 'node_modules', name)
    mkdirSync(join(path, '..'), { recursive: true })
    symlinkSync(join(repositoryRoot, 'node_modules', name), path)
  }
  writeFileSync(join(cwd, 'package.json'), '{"type": "module"}')
  // Types are not checked again here; what matters is what the build writes.
  const config = {
    extends: join(repositoryRoot, 'tsconfig.build.json'),
    compilerOptions: { rootDir: join(repositoryRoot, 'src'), outDir: join(cwd, 'dist'), types: [], noCheck: true },
    include: [join(repositoryRoot, 'src')],
  }
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(config))
  await promisify(execFile)(join(repositoryRoot, 'node_modules/.bin/tsc'), ['-p', cwd])
}
