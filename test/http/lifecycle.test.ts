// The lifecycle over HTTP: prepared, read, approved, executed, and looked into, from one curl line to the next.
import { describe, expect, it } from 'vitest'
import { finance1, requester } from '../runtime/sessions.ts'
import { openHttp } from './world.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'

describe.each(EVERY_STORE)('the lifecycle on %s', (store) => {
  it('prepares, shows, approves, executes and verifies', async () => {
    const world = await openHttp({ store })

    const prepared = await world.post(requester, '/v1/proposals', world.input())
    expect(prepared.status).toBe(201)
    expect(prepared.json).toMatchObject({ outcome: 'prepared', status: 'awaiting_approval', revision: 0 })
    const ref = String(prepared.json['proposal'])
    expect(prepared.headers.get('Location')).toBe(`/v1/proposals/${ref}`)
    expect(prepared.headers.get('ETag')).toBe('"0"')

    const view = await world.get(finance1, `/v1/proposals/${ref}`)
    expect(view.status).toBe(200)
    expect(view.json).toMatchObject({ kind: 'proposal', proposal: ref, nextStep: 'await_approval' })

    const approved = await world.post(finance1, `/v1/proposals/${ref}/approve`, {
      commitment: view.json['commitment'],
      comment: 'as agreed',
    })
    expect(approved.status).toBe(200)
    expect(approved.json).toMatchObject({ outcome: 'approved', revision: 1 })

    const executed = await world.post(requester, `/v1/proposals/${ref}/execute`)
    expect(executed.status).toBe(202)
    expect(executed.json).toMatchObject({ outcome: 'verification_pending' })
    expect(executed.headers.get('Retry-After')).toBe('5')

    await world.clock.advance(60_000)
    const verified = await world.post(requester, `/v1/proposals/${ref}/reconcile`)
    expect(verified.status).toBe(200)
    expect(verified.json).toMatchObject({ outcome: 'verified', nextStep: 'none' })
    expect(world.action.business.booked).toHaveLength(1)
  })
})
