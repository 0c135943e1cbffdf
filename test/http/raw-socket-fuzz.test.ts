// Requests of which some bytes were changed, on a real socket: none is answered by a fault, and nothing is stored unanswered.
import { fc } from '@fast-check/vitest'
import { expect, it } from 'vitest'
import { staticTokens } from '../../src/http.ts'
import { requester } from '../runtime/sessions.ts'
import { AUTHORIZED, openRawServer, preparing, requestText } from './raw-socket.ts'
import { tokenOf } from './world.ts'

/** Bytes that mean something to HTTP, to UTF-8 or to JSON, and any others. */
const byte = fc.oneof(
  fc.constantFrom(...Buffer.from('\r\n\0\t :,;"\\{}[]0-9aZ%?#@/'), 0x7f, 0x80, 0xc0, 0xed, 0xff),
  fc.integer({ min: 0, max: 255 }),
)
const change = fc.record({
  at: fc.nat(),
  removed: fc.integer({ min: 0, max: 3 }),
  inserted: fc.array(byte, { maxLength: 3 }),
})

it('threat T26: a request that was damaged on its way is refused or understood, and the server goes on', async () => {
  const authenticate = staticTokens([{ token: tokenOf(requester), session: requester }], { listeningOn: '127.0.0.1' })
  const server = await openRawServer({ app: { authenticate } })
  const good = Buffer.from(preparing(server.world, 'Idempotency-Key: fuzz-1\r\n'))
  let seen = 0

  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const damaged = changes.reduce((bytes, { at, removed, inserted }) => {
        const start = at % bytes.length
        return Buffer.concat([bytes.subarray(0, start), Buffer.from(inserted), bytes.subarray(start + removed)])
      }, good)
      const connection = server.open()
      // The end is sent too: a length that was damaged must not make anybody wait.
      connection.socket.end(damaged)
      const responses = await connection.received()
      seen += responses.length
      const faults = responses.filter(({ status }) => !(status >= 200 && status < 500))
      expect(faults).toStrictEqual([])
    }),
    { seed: 20_261_130, numRuns: 1_000 },
  )

  expect(seen).toBeGreaterThan(500)
  const [answer] = await server.exchange(requestText('GET /v1/proposals', `${AUTHORIZED}Connection: close\r\n`))
  expect(answer?.status).toBe(200)
})
