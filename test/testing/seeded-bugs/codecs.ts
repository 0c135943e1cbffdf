// Seeded bugs in codecs of sealed content, and the correct one: that of the runtime.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { ephemeralKeyring } from '../../../src/index.ts'
import { parseReference } from '../../../src/effect/reference.ts'
import { ProposalKeys, type Purpose } from '../../../src/runtime/keys/sealing.ts'
import type { WrappedKey } from '../../../src/runtime/ports.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import type { ContentCodec, SealedPlace } from '../../../src/testing.ts'
import type { SeededBug } from './seeded-bug.ts'

/** What the runtime seals with: a key for each proposal, wrapped by a keyring. */
export function runtimeCodec(): ContentCodec {
  const keys = new ProposalKeys(ephemeralKeyring(), systemClock)
  const stored = new Map<string, WrappedKey>()
  const ownerOf = ({
    tenant,
    proposal,
  }: SealedPlace): { tenant: ReturnType<typeof parseReference>; proposal: ReturnType<typeof parseReference> } => ({
    tenant: parseReference(tenant, ''),
    proposal: parseReference(proposal, ''),
  })
  // Whoever swaps rows swaps their keys with them: every place is handed the first key.
  const keyOf = async (place: SealedPlace) => {
    const wrapped = stored.get('key') ?? (await keys.create(ownerOf(place))).wrapped
    stored.set('key', wrapped)
    return keys.open(ownerOf(place), wrapped)
  }
  return {
    seal: async (place, text) => (await keyOf(place)).seal(place.purpose as Purpose, text),
    open: async (place, sealed) => (await keyOf(place)).open(place.purpose as Purpose, sealed),
  }
}

const KEY = randomBytes(32)

function contextOf({ tenant, proposal, purpose }: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([tenant, proposal, purpose]))
}

interface Variant {
  readonly context?: (place: SealedPlace) => Buffer
  readonly nonce?: () => Buffer
  /** How many bytes of a tag are asked for; fewer may come. */
  readonly tagBytes?: (sealed: Uint8Array) => number
  readonly error?: (plain: string) => Error
}

/** AES-256-GCM, correct but for the variant. */
function gcm({
  context = contextOf,
  nonce = () => randomBytes(12),
  tagBytes = () => 16,
  error,
}: Variant): ContentCodec {
  return {
    async seal(place, text) {
      const iv = nonce()
      const cipher = createCipheriv('aes-256-gcm', KEY, iv)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.byteLength(text))
      cipher.setAAD(Buffer.concat([context(place), length]))
      return new Uint8Array(
        Buffer.concat([length, iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]),
      )
    },
    async open(place, sealed) {
      const bytes = Buffer.from(sealed)
      if (bytes.length < 16) throw new Error('cut')
      const [length, iv] = [bytes.subarray(0, 4), bytes.subarray(4, 16)]
      const end = 16 + length.readUInt32BE()
      const tag = bytes.subarray(end)
      if (end > bytes.length || tag.length !== tagBytes(tag)) throw new Error('cut')
      const decipher = createDecipheriv('aes-256-gcm', KEY, iv, { authTagLength: tag.length })
      decipher.setAAD(Buffer.concat([context(place), length]))
      decipher.setAuthTag(tag)
      const plain = decipher.update(bytes.subarray(16, end)).toString('utf8')
      try {
        decipher.final()
      } catch {
        throw error?.(plain) ?? new Error('damaged')
      }
      return plain
    },
  }
}

function stream(place: SealedPlace, nonce: Buffer, bytes: Buffer): Buffer {
  const key = createHmac('sha256', KEY).update(contextOf(place)).update(nonce).digest()
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(bytes)
}

export const correctCodec: ContentCodec = gcm({})

export const codecBugs: readonly SeededBug<ContentCodec>[] = [
  {
    title: 'seals latin text only',
    code: 'opened_differs',
    subject: {
      seal: async (place, text) => correctCodec.seal(place, Buffer.from(text, 'latin1').toString('latin1')),
      open: async (place, sealed) => correctCodec.open(place, sealed),
    },
  },
  {
    title: 'signs and does not encrypt',
    code: 'sealed_in_the_clear',
    subject: {
      async seal(place, text) {
        const nonce = randomBytes(12)
        const mac = createHmac('sha256', KEY).update(contextOf(place)).update(nonce).update(text).digest()
        return new Uint8Array(Buffer.concat([nonce, mac, Buffer.from(text)]))
      },
      async open(place, sealed) {
        const bytes = Buffer.from(sealed)
        const [nonce, mac, text] = [bytes.subarray(0, 12), bytes.subarray(12, 44), bytes.subarray(44)]
        const own = createHmac('sha256', KEY).update(contextOf(place)).update(nonce).update(text).digest()
        if (!own.equals(mac)) throw new Error('damaged')
        return text.toString('utf8')
      },
    },
  },
  { title: 'uses one nonce', code: 'seal_repeats', subject: gcm({ nonce: () => Buffer.alloc(12) }) },
  {
    title: 'does not bind the tenant',
    code: 'place_ignored',
    subject: gcm({ context: ({ proposal, purpose }) => Buffer.from(JSON.stringify([proposal, purpose])) }),
  },
  {
    title: 'joins the parts of a place without a border',
    code: 'place_ignored',
    subject: gcm({ context: ({ tenant, proposal, purpose }) => Buffer.from(tenant + proposal + purpose) }),
  },
  {
    title: 'encrypts and does not authenticate',
    code: 'alteration_opened',
    subject: {
      async seal(place, text) {
        const nonce = randomBytes(12)
        return new Uint8Array(Buffer.concat([nonce, stream(place, nonce, Buffer.from(`SEAL${text}`))]))
      },
      async open(place, sealed) {
        const text = stream(place, Buffer.from(sealed.slice(0, 12)), Buffer.from(sealed.slice(12))).toString('utf8')
        if (!text.startsWith('SEAL')) throw new Error('damaged')
        return text.slice(4)
      },
    },
  },
  {
    title: 'takes a tag of any length',
    code: 'truncation_opened',
    subject: gcm({ tagBytes: (tag) => Math.min(16, Math.max(4, tag.length)) }),
  },
  {
    title: 'quotes what it could not authenticate',
    code: 'codec_error_leaks',
    subject: gcm({ error: (plain) => new Error(`not authentic: ${plain}`) }),
  },
]
