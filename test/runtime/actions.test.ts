// The registered actions as a caller sees them.
import { describe, expect, it } from 'vitest'
import { openWorld, unsound } from './harness.ts'
import { elsewhere, finance1, requester, stranger } from './sessions.ts'

describe('the registered actions', () => {
  it('are told with their schemas, the policy and what the caller may do', async () => {
    const world = await openWorld({ store: 'memory' })

    const [action, ...others] = await world.runtime.actions(requester)

    expect(others).toEqual([])
    expect(action).toMatchObject({
      action: 'example.payments/refund@1',
      lifetimeMs: 600_000,
      schemas: {
        command: { type: 'object', required: ['orderReference', 'intent', 'amount'], additionalProperties: false },
        preview: { type: 'object' },
        result: { required: ['refundId'] },
      },
      policy: { kind: 'rules', require: [{ name: 'finance', count: 1 }] },
      permitted: ['prepare', 'execute', 'read', 'list', 'withdraw', 'reconcile'],
    })
  })

  it('show nothing of the private snapshot', async () => {
    const world = await openWorld({ store: 'memory' })

    expect(JSON.stringify(await world.runtime.actions(finance1))).not.toMatch(/customer|orderVersion|snapshot/)
  })

  it('are the same for every tenant, and permit nothing to who has no role', async () => {
    const world = await openWorld({ store: 'memory' })

    expect(await world.runtime.actions(elsewhere(requester))).toEqual(await world.runtime.actions(requester))
    expect(await world.runtime.actions(stranger)).toMatchObject([{ permitted: [] }])
  })

  it.each([
    ['throws', () => Promise.reject(new Error('no proposal'))],
    ['answers something that is no yes', async () => unsound<boolean>('yes')],
  ])('permit nothing where the action %s, and that is no trouble', async (_what, can) => {
    const troubles: unknown[] = []
    const world = await openWorld({ store: 'memory', methods: { can }, onHostError: (error) => troubles.push(error) })

    expect(await world.runtime.actions(requester)).toMatchObject([{ permitted: [] }])
    expect(troubles).toEqual([])
  })
})
