// A body that is left out is an empty one; a body that says nothing is not.
import { expect, it } from 'vitest'
import { requester } from '../../runtime/sessions.ts'
import { openHttp } from '../world.ts'

it('a body may be left out where every field may', async () => {
  const world = await openHttp({ store: 'memory' })
  expect((await world.post(requester, '/v1/proposals/none/execute')).status).toBe(404)
  expect((await world.post(requester, '/v1/proposals/none/execute', {})).status).toBe(404)
})

it.each(['null', 'false', '0', '""', '[]'])('case C080: %s is no body', async (text) => {
  const world = await openHttp({ store: 'memory' })
  for (const path of ['/v1/proposals', '/v1/proposals/none/execute', '/v1/proposals/none/withdraw']) {
    const { status, json } = await world.send(requester, 'POST', path, { text })
    expect({ status, code: json['code'] }).toStrictEqual({ status: 422, code: 'invalid_request' })
  }
})
