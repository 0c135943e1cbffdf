// The container files of examples/deploy: they are in order, and what they start exists and takes the options it is given.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { newKeyringText } from '../src/runtime/keys/local-keyring.ts'
import { readRepositoryFile } from '../tools/repository.ts'
import { countersign, folder } from './cli/run-countersign.ts'
import { serverUrl } from './store/postgres-fixture.ts'

const dockerfile = readRepositoryFile('examples/deploy/Dockerfile')
const service = z.strictObject({
  image: z.string().optional(),
  build: z.literal('.').optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()),
      interval: z.string().optional(),
      retries: z.int().optional(),
    })
    .optional(),
  restart: z.enum(['unless-stopped', 'on-failure']),
  stop_grace_period: z.string().optional(),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
    .optional(),
  deploy: z.strictObject({ replicas: z.int() }).optional(),
})
const { services, volumes } = z
  .object({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) })
  .parse(parse(readRepositoryFile('examples/deploy/compose.yaml'), { merge: true }))
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined)

/** The arguments of an instruction in its form as a list. */
function listOf(instruction: string): readonly string[] {
  const text = new RegExp(`^${instruction} (.*)$`, 'mu').exec(dockerfile)?.[1] ?? ''
  return z.array(z.string()).parse(JSON.parse(text))
}

describe('the Dockerfile', () => {
  it('has nothing that a linter would say', () => {
    expect(validate(dockerfile)).toEqual([])
    expect(validate(`${dockerfile}\nRUNN nothing`)).toHaveLength(1)
  })

  it('starts the command of the package, on a Node that it supports, as somebody who owns nothing', () => {
    const { bin } = z
      .object({ bin: z.object({ countersign: z.string() }) })
      .parse(JSON.parse(readRepositoryFile('package.json')))

    expect(listOf('ENTRYPOINT')).toEqual(['node', join('node_modules/countersign', bin.countersign)])
    expect(dockerfile).toMatch(/^FROM node:24-slim$/mu)
    expect(dockerfile).toMatch(/^USER node$/mu)
  })

  it('serves the same as the compose file does', () => {
    expect(services['api']?.command).toEqual(listOf('CMD'))
  })
})

describe('the compose file', () => {
  it('runs several workers, and gives all of them longer to stop than they take', () => {
    expect(services['worker']?.deploy?.replicas).toBeGreaterThan(1)
    for (const [, { stop_grace_period: limit = '' }] of ours) expect(Number(limit.replace('s', ''))).toBeGreaterThan(35)
  })

  it('waits for what is there, and keeps what it names', () => {
    for (const { depends_on: needed = {}, volumes: kept = [] } of Object.values(services)) {
      for (const name of Object.keys(needed)) expect(Object.keys(services)).toContain(name)
      for (const mount of kept) expect(Object.keys(volumes)).toContain(mount.split(':')[0])
    }
  })

  it('holds no secret, and is reached from this machine alone', () => {
    const texts = Object.values(services).flatMap(({ environment }) => Object.entries(environment))
    const secrets = texts.filter(([name]) => /PASSWORD|KEYS|URL/u.test(name))

    expect(secrets.length).toBeGreaterThan(3)
    for (const [, text] of secrets) expect(text).toMatch(/\$\{[A-Z_]+:\?is needed\}/u)
    for (const port of services['api']?.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/u)
  })

  it('migrates a database, as its command says', async () => {
    const env = { DATABASE_URL: await serverUrl(), COUNTERSIGN_KEYS: newKeyringText() }

    expect(await countersign(services['migrate']?.command ?? [], { cwd: folder(), env })).toMatchObject({
      exitCode: 0,
      stderr: '',
    })
  })

  it.each(['api', 'worker'])('starts %s with options that it takes', async (name) => {
    const cwd = folder()
    mkdirSync(join(cwd, 'src'))
    writeFileSync(join(cwd, 'src/actions.ts'), 'export default { actions: [], authentication: null }\n')
    const env = { DATABASE_URL: await serverUrl(), COUNTERSIGN_KEYS: newKeyringText() }

    const { exitCode, stderr } = await countersign(services[name]?.command ?? [], { cwd, env })

    // It has come as far as the module of the actions.
    expect(exitCode).toBe(2)
    expect(stderr).toContain('The file src/actions.ts exports more than')
  })
})
