// The headers of requests and answers, each described once.
import type { Part } from './schemas.ts'

const text = { type: 'string' } as const

/** The headers of answers, by the names under which the document keeps them. */
export const ANSWER_HEADERS = {
  'X-Request-Id': { required: true, description: 'The id of the request, in the log too.', schema: text },
  ETag: { required: true, description: 'The revision of the proposal, as a strong tag.', schema: text },
  Location: { required: true, description: 'The path of the proposal.', schema: text },
  'Idempotency-Replayed': {
    description: 'There when the request key was used before: this is the first proposal, as it is now.',
    schema: { type: 'string', const: 'true' },
  },
  Link: { description: 'The next page, with `rel="next"`; absent at the end.', schema: text },
  'Retry-After': {
    required: true,
    description: 'When to ask again, in seconds.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  'WWW-Authenticate': { required: true, description: 'Which credentials are taken.', schema: text },
  Allow: { required: true, description: 'The methods that the path takes.', schema: text },
} as const satisfies Record<string, Part>

/** The name of a header that the document describes. */
export type HeaderName = keyof typeof ANSWER_HEADERS

/**
 * The headers of what can come under one status, each named by its contents. One that not every content has is not
 * required there, whatever it is elsewhere; every answer has a request id.
 */
export function headersOf(contents: readonly (readonly HeaderName[])[]): Part {
  const names = new Set<HeaderName>(['X-Request-Id', ...contents.flat()])
  return Object.fromEntries(
    [...names].map((name) => {
      const isInAll = name === 'X-Request-Id' || contents.every((content) => content.includes(name))
      return [name, isInAll ? { $ref: `#/components/headers/${name}` } : { ...ANSWER_HEADERS[name], required: false }]
    }),
  )
}

/** Visible, and neither a quote, a backslash nor the comma at which two headers are joined. */
const KEY_CHARACTER = '[!#-+\\--[\\]-~]'

/** The headers of requests. No pattern allows a comma: it is where several lines of one header were joined. */
export const REQUEST_HEADERS: Readonly<Record<'If-Match' | 'Idempotency-Key' | 'X-Request-Id', Part>> = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the revision that was seen: nothing is done to another one.',
    schema: { type: 'string', pattern: '^"[!#-+\\--~]*"$' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: '1 to 255 visible characters, quoted or bare. The same key and command answer the first proposal.',
    schema: { type: 'string', pattern: `^(?:${KEY_CHARACTER}{1,255}|"(?:${KEY_CHARACTER}|\\\\["\\\\]){1,255}")$` },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id of one’s own; anything but 1 to 64 letters, digits, dots, hyphens and underscores is replaced.',
    schema: { type: 'string' },
  },
}
