// Clauses about sealed content: it opens in its own place as it was, and nowhere else, and nothing else does.
import { type Clause, demand } from '../clause.ts'
import { findSensitive } from '../find-sensitive.ts'
import { alterations, type ContentCodec, holds, type SealedPlace, thrownBy, truncations } from './protection-bench.ts'

const PLACE: SealedPlace = { tenant: 'tenant-a', proposal: 'proposal-1', purpose: 'snapshot' }
const TEXT = '{"iban":"canary-DE89370400440532013000"}'
const TEXTS = [TEXT, '', '{}', 'Ünïcödé ✓ 𝟘', 'x'.repeat(64 * 1024)]

const OTHER_PLACES: readonly SealedPlace[] = [
  { ...PLACE, tenant: 'tenant-b' },
  { ...PLACE, proposal: 'proposal-2' },
  { ...PLACE, purpose: 'preview' },
  // What is joined with a separator, or with none, makes one place of two.
  { ...PLACE, tenant: 'tenant-aproposal-1', proposal: '' },
  { ...PLACE, tenant: 'tenant-a/proposal-1', proposal: 'snapshot', purpose: '' },
]

/** Of a codec. Spec: policy-and-protection 4, reliability F13. */
export const codecClauses: readonly Clause<ContentCodec>[] = [
  {
    clause: 'codec.round_trip',
    rule: 'What was sealed opens in its place as it was.',
    async run(codec) {
      for (const text of TEXTS) {
        const opened = await thrownBy(async () => {
          const same = (await codec.open(PLACE, await codec.seal(PLACE, text))) === text
          demand(same, 'opened_differs', `A text of ${text.length} characters did not open as it was.`)
        })
        demand(opened === null, 'opened_differs', `A text of ${text.length} characters did not open as it was.`)
      }
    },
  },
  {
    clause: 'codec.hidden',
    rule: 'Sealed bytes do not show the text.',
    restsOn: ['codec.round_trip'],
    async run(codec) {
      const sealed = await codec.seal(PLACE, TEXT)
      demand(
        !holds(sealed, TEXT) && !holds(sealed, TEXT.slice(9, 25)),
        'sealed_in_the_clear',
        'Sealed bytes show the text.',
      )
    },
  },
  {
    clause: 'codec.fresh',
    rule: 'The same text sealed twice is two different texts.',
    restsOn: ['codec.round_trip'],
    async run(codec) {
      const [first, second] = [await codec.seal(PLACE, TEXT), await codec.seal(PLACE, TEXT)]
      demand(!Buffer.from(first).equals(second), 'seal_repeats', 'The same text was sealed to the same bytes twice.')
    },
  },
  {
    clause: 'codec.place',
    rule: 'Sealed content opens for its own tenant, proposal and purpose only.',
    restsOn: ['codec.round_trip'],
    async run(codec) {
      const sealed = await codec.seal(PLACE, TEXT)
      for (const place of OTHER_PLACES) {
        const refused = await thrownBy(async () => codec.open(place, sealed))
        demand(refused !== null, 'place_ignored', `Content of one place opened in another: ${differing(place)}.`)
      }
    },
  },
  {
    clause: 'codec.altered',
    rule: 'Sealed content with any one bit changed does not open.',
    restsOn: ['codec.round_trip'],
    async run(codec) {
      const sealed = await codec.seal(PLACE, TEXT)
      for (const [position, altered] of alterations(sealed).entries()) {
        const refused = await thrownBy(async () => codec.open(PLACE, altered))
        demand(refused !== null, 'alteration_opened', `Content opened with its byte ${position} changed.`)
      }
    },
  },
  {
    clause: 'codec.truncated',
    rule: 'Sealed content that was cut or continued does not open.',
    restsOn: ['codec.altered'],
    async run(codec) {
      const sealed = await codec.seal(PLACE, TEXT)
      for (const cut of truncations(sealed)) {
        const refused = await thrownBy(async () => codec.open(PLACE, cut))
        demand(refused !== null, 'truncation_opened', `${cut.length} of ${sealed.length} bytes opened.`)
      }
    },
  },
  {
    clause: 'codec.errors',
    rule: 'No error carries what was sealed.',
    restsOn: ['codec.altered'],
    async run(codec) {
      const sealed = await codec.seal(PLACE, TEXT)
      const errors = await Promise.all([
        ...alterations(sealed).map(async (altered) => thrownBy(async () => codec.open(PLACE, altered))),
        ...OTHER_PLACES.map(async (place) => thrownBy(async () => codec.open(place, sealed))),
      ])
      demand(findSensitive(errors, [TEXT]).length === 0, 'codec_error_leaks', 'An error carries what was sealed.')
    },
  },
]

function differing(place: SealedPlace): string {
  return (['tenant', 'proposal', 'purpose'] as const).filter((name) => place[name] !== PLACE[name]).join(' and ')
}
