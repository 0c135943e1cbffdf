// The document: valid OpenAPI 3.1, the same as the routes in both directions, and the same wherever the app is mounted.
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { openHttp } from './world.ts'
import { writeFileSync } from 'node:fs'

describe('the document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const world = await openHttp({ store: 'memory' })
    const { json } = await world.get(null, '/openapi.json')
    writeFileSync('/tmp/openapi-app.json', JSON.stringify(json, null, 1))

    const answer = await new Validator().validate(structuredClone(json))

    expect(answer.errors ?? []).toEqual([])
    expect(answer.valid).toBe(true)
  })
})
