// The body of a form, read strictly: its media type, its size, its encoding, each field once, no field that is not known.
import { InvalidRequest, MalformedRequest, UnsupportedMediaType } from '../../wire/http-refusals.ts'
import { readBytes } from '../../wire/json-body.ts'
import { singletonHeader } from '../../wire/singleton-header.ts'

const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset=utf-8[ \t]*)?$/i
/** A comment of the longest kind, every character of it escaped, and the rest of a form. */
const BODY_BYTES_MAX = 64 * 1_024

/**
 * The fields of a form. A line break is `\n`, whichever the browser sent.
 * @throws UnsupportedMediaType, PayloadTooLarge, MalformedRequest, InvalidRequest
 */
export async function readForm<Name extends string>(
  request: Request,
  names: readonly Name[],
): Promise<{ readonly [N in Name]: string }> {
  if (!FORM_TYPE.test(singletonHeader(request.headers, 'Content-Type') ?? '')) {
    throw new UnsupportedMediaType('A form must be application/x-www-form-urlencoded.')
  }
  const bytes = await readBytes(request, BODY_BYTES_MAX)
  const fields = [...new URLSearchParams(decoded(bytes))]
  const unknown = fields.filter(([name]) => !names.some((known) => known === name))
  if (unknown.length > 0) throw new InvalidRequest([{ path: '', rule: 'unknown_field', message: 'has a field more' }])
  const missing = names.filter((name) => fields.filter(([given]) => given === name).length !== 1)
  if (missing.length > 0) {
    throw new InvalidRequest(missing.map((name) => ({ path: `/${name}`, rule: 'once', message: 'must be sent once' })))
  }
  const entries = fields.map(([name, value]) => [name, value.replaceAll(/\r\n?/g, '\n')])
  return Object.fromEntries(entries) as { readonly [N in Name]: string }
}

// What percent signs stand for must be UTF-8 too: a decoder that mends it would show something else than was sent.
function decoded(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    for (const part of text.split(/[&=]/)) decodeURIComponent(part)
    return text
  } catch {
    throw new MalformedRequest('The form is not valid UTF-8.')
  }
}
