// Keyed digests: golden vectors made by another program, and nothing that matches across tenants, actions or purposes.
import { describe, expect, it } from 'vitest'
import {
  commandFingerprint,
  deriveTenantKey,
  referenceKeyCheck,
  requestKeyHash,
} from '../../src/proposal/content/fingerprint.ts'
import golden from './golden/keyed-digests.json' with { type: 'json' }
import { reference } from './refund.ts'

const referenceKey = Buffer.from(golden.referenceKeyHex, 'hex')
const tenantKey = deriveTenantKey(referenceKey, reference(golden.tenant))
const otherTenantKey = deriveTenantKey(referenceKey, reference('other'))

describe('golden vectors', () => {
  it('of the tenant key', () => {
    expect(Buffer.from(tenantKey).toString('hex')).toBe(golden.tenantKeyHex)
  })

  it('of the command fingerprint', () => {
    const { action, commandText, value } = golden.fingerprint

    expect(commandFingerprint(tenantKey, action, commandText)).toBe(value)
  })

  it('of the hash of a request key', () => {
    const { requester, key, value } = golden.requestKey

    expect(requestKeyHash(tenantKey, requester, key)).toBe(value)
  })

  it('of the check value of the reference key', () => {
    expect(referenceKeyCheck(referenceKey)).toBe(golden.referenceKeyCheck)
  })
})

describe('a command fingerprint', () => {
  const of = (key: Uint8Array, action: string, text: string): string => commandFingerprint(key, action, text)

  it('is another for another tenant, action or command', () => {
    const all = [
      of(tenantKey, 'a', 'x'),
      of(otherTenantKey, 'a', 'x'),
      of(tenantKey, 'b', 'x'),
      of(tenantKey, 'a', 'y'),
    ]

    expect(new Set(all).size).toBe(4)
  })

  it('keeps action and command apart', () => {
    expect(of(tenantKey, 'ab', 'c')).not.toBe(of(tenantKey, 'a', 'bc'))
  })
})

describe('the hash of a request key', () => {
  it('is another for another tenant, requester or key, and for the same texts divided otherwise', () => {
    const all = [
      requestKeyHash(tenantKey, 'user:ann', 'k'),
      requestKeyHash(otherTenantKey, 'user:ann', 'k'),
      requestKeyHash(tenantKey, 'user:ben', 'k'),
      requestKeyHash(tenantKey, 'user:ann', 'l'),
      requestKeyHash(tenantKey, 'user:an', 'nk'),
    ]

    expect(new Set(all).size).toBe(5)
  })
})

describe('the check value of the reference key', () => {
  it('is another for another key', () => {
    expect(referenceKeyCheck(new Uint8Array(32))).not.toBe(golden.referenceKeyCheck)
  })
})
