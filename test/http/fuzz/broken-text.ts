// Bodies that are no strict JSON, made from one that is: two readers could understand them differently.
import { fc } from '@fast-check/vitest'

type Bytes = Uint8Array<ArrayBuffer>

/** What is done to the text of an object, by name. Spec: reliability T20 to T24, T26. */
const DAMAGES: Readonly<Record<string, (json: string) => string | Bytes>> = {
  'cut off': (json) => json.slice(0, -1),
  'with something after it': (json) => `${json}x`,
  'two values': (json) => `${json}{}`,
  'a byte order mark': (json) => `\uFEFF${json}`,
  'a comma at the end': (json) => `${json.slice(0, -1)},}`,
  'a comment': (json) => `${json}// done`,
  'a key twice': (json) => led(json, '"twice":1,"twice":1'),
  'a key twice, spelled otherwise': (json) => led(json, String.raw`"a":1,"\u0061":1`),
  'a key twice after NFC': (json) => led(json, '"\u00E9":1,"e\u0301":1'),
  'the prototype': (json) => led(json, '"__proto__":{"a":1}'),
  'the constructor’s prototype': (json) => led(json, '"constructor":{"prototype":{}}'),
  'a fraction': (json) => led(json, '"n":1.5'),
  'an exponent': (json) => led(json, '"n":1e21'),
  'an unsafe integer': (json) => led(json, '"n":9007199254740993'),
  'no number': (json) => led(json, '"n":NaN'),
  'a negative zero': (json) => led(json, '"n":-0'),
  'half a surrogate pair': (json) => led(json, String.raw`"s":"\ud800"`),
  'a tab in a string': (json) => led(json, '"s":"\t"'),
  'too deep': (json) => led(json, `"d":${'['.repeat(80)}${']'.repeat(80)}`),
  'too many keys': (json) => led(json, Array.from({ length: 1_001 }, (_, index) => `"k${index}":1`).join(',')),
  'invalid UTF-8': (json) => bytesOf(Buffer.concat([Buffer.from(`{"s":"`), Buffer.from([0xc3, 0x28]), tail(json)])),
  'UTF-16': (json) => bytesOf(Buffer.from(json, 'utf16le')),
}

/** The name of a damage. */
export const damage: fc.Arbitrary<string> = fc.constantFrom(...Object.keys(DAMAGES))

/** The text of an object, damaged. */
export function damaged(json: string, name: string): string | Bytes {
  const change = DAMAGES[name]
  if (change === undefined) throw new Error(`there is no damage ${name}`)
  return change(json)
}

function led(json: string, fields: string): string {
  const rest = json.slice(1)
  return `{${fields}${rest === '}' ? '' : ','}${rest}`
}

function tail(json: string): Buffer {
  const rest = json.slice(1)
  return Buffer.from(`"${rest === '}' ? '' : ','}${rest}`)
}

function bytesOf(buffer: Buffer): Bytes {
  return new Uint8Array(buffer)
}
