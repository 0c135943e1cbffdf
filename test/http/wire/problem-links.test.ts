// The links of problems lead to their pages wherever the app is mounted.
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { requester } from '../../runtime/sessions.ts'
import { openHttp, tokenOf } from '../world.ts'

describe.each(['', '/approvals', '/api/v2/approvals'])('an app that is mounted at "%s"', (mount) => {
  it.each<[string, string]>([
    ['GET', '/v1/proposals/none'],
    ['DELETE', '/v1/proposals'],
    ['POST', '/v1/proposals/none/approve'],
    ['GET', '/v1/proposals/a/b/c/d'],
    ['GET', '/v1/nothing'],
  ])('%s %s', async (method, path) => {
    const { app } = await openHttp({ store: 'memory' })
    const host = new Hono().route(mount, app)
    const headers = { Authorization: `Bearer ${tokenOf(requester)}` }
    const response = await host.request(`${mount}${path}`, { method, headers })
    const { type, code } = (await response.json()) as { type: string; code: string }
    expect(type).toBe(`${mount}/problems/${code}`)
    expect((await host.request(type)).status).toBe(200)
  })
})
