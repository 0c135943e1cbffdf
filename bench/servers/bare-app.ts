// The floor: a Hono app with the same routes that reads its bodies through zod and answers without keeping anything.
import { Hono } from 'hono'
import { z } from 'zod'

const preparation = z.strictObject({
  action: z.string().max(1_000),
  command: z.strictObject({
    intent: z.string(),
    amount: z.strictObject({ amount: z.string(), currency: z.string() }),
  }),
})
const decision = z.strictObject({ commitment: z.string().max(1_000), comment: z.string().optional() })
const nothing = z.strictObject({ now: z.boolean().optional() })

/** About as long as the view of a proposal. */
const VIEW = { kind: 'proposal', text: 'v'.repeat(1_500) }

/** It has no authority, no store and no memory: nobody could use it instead. */
export function bareApp(): Hono {
  const app = new Hono()
  let prepared = 0
  app.post('/v1/proposals', async (context) => {
    preparation.parse(await context.req.json())
    prepared += 1
    return context.json({ outcome: 'prepared', proposal: `p${prepared}`, commitment: 'c1_none' }, 201)
  })
  app.get('/v1/proposals/:ref', (context) => {
    return context.json({ ...VIEW, proposal: z.string().max(255).parse(context.req.param('ref')) })
  })
  app.post('/v1/proposals/:ref/approve', async (context) => {
    decision.parse(await context.req.json())
    return context.json({ outcome: 'approved' })
  })
  for (const operation of ['execute', 'reconcile']) {
    app.post(`/v1/proposals/:ref/${operation}`, async (context) => {
      nothing.parse(await context.req.json())
      return context.json({ outcome: operation === 'execute' ? 'verification_pending' : 'verified' })
    })
  }
  return app
}
