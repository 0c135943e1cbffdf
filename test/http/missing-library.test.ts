// Optional peers that are not installed: one sentence says what is missing and how to get it.
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { describe, expect, it } from 'vitest'

const door = new URL('../../src/http.ts', import.meta.url).href

/** Runs a script in which a package cannot be found, and answers what it wrote before it ended. */
function withoutPackage(name: string, script: string): { readonly status: number | null; readonly errors: string } {
  const hook = `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(specifier, context, next) {
        const isMissing = specifier === ${JSON.stringify(name)} || specifier.startsWith(${JSON.stringify(`${name}/`)})
        if (isMissing) throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' })
        return next(specifier, context)
      },
    })`
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      '--conditions=countersign-source',
      `--import=data:text/javascript,${encodeURIComponent(hook)}`,
      '--input-type=module',
      '--eval',
      `try { ${script} } catch (error) { process.stderr.write(error.message); process.exitCode = 3 }`,
    ],
    { encoding: 'utf8' },
  )
  return { status, errors: stderr }
}

describe('without a package', () => {
  it.each(['hono', 'hono-openapi'])('%s the door says what to install', (name) => {
    const { status, errors } = withoutPackage(name, `await import(${JSON.stringify(door)})`)

    expect(status).toBe(3)
    expect(errors).toBe('countersign/http needs the packages hono and hono-openapi: npm install hono hono-openapi.')
  })

  it('prom-client the figures say what to install, and the rest works', () => {
    const { status, errors } = withoutPackage(
      'prom-client',
      `const { prometheusMeters } = await import(${JSON.stringify(door)}); prometheusMeters()`,
    )

    expect(status).toBe(3)
    expect(errors).toBe('Metrics need the package prom-client: npm install prom-client@15.')
  })

  it('swagger-ui-dist the page is not there, and the log says why', () => {
    const { status, errors } = withoutPackage(
      'swagger-ui-dist',
      `const { createApp } = await import(${JSON.stringify(door)})
      const logger = { info() {}, error() {}, warn: (_fields, message) => process.stderr.write(message) }
      const runtime = { clock: { monotonic: () => 0 }, ids: { token: () => 'id' } }
      const app = createApp({ runtime, authenticate: () => null, logger })
      const { status } = await app.request('/docs')
      process.stderr.write(' ' + status)`,
    )

    expect([status, errors]).toEqual([0, '/docs needs the package swagger-ui-dist: npm install swagger-ui-dist 404'])
  })
})
