// Signatures of webhooks (Standard Webhooks 1.0.0): who receives one can tell that it came from whoever has the secret.
import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const BYTES_MIN = 24
const BYTES_MAX = 64

/** What is signed. */
export interface Signed {
  /** Of the event, the same for every try. It has no full stop. */
  readonly id: string
  /** Of the try, in seconds. */
  readonly timestamp: number
  readonly body: string
}

/** The bytes of a secret, `whsec_` and the Base64 of 24 to 64 bytes; null of anything else. */
export function secretBytes(secret: unknown): Buffer | null {
  if (typeof secret !== 'string' || !secret.startsWith(PREFIX)) return null
  const text = secret.slice(PREFIX.length)
  if (!BASE64.test(text)) return null
  const bytes = Buffer.from(text, 'base64')
  return bytes.length < BYTES_MIN || bytes.length > BYTES_MAX ? null : bytes
}

/** The value of `webhook-signature`: one signature for each secret, so that a receiver may know either during a rotation. */
export function signatures({ id, timestamp, body }: Signed, secrets: readonly Buffer[]): string {
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ')
}
