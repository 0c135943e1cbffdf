// The evidence bundle: what is one, and that nothing else is taken for one or makes the reader throw.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { type EvidenceBundle, parseBundle, saltOf } from '../../src/proposal/receipts/evidence-bundle.ts'
import { attempt, ending, observation, ref, settlement } from '../effect/builders.ts'
import { ENDINGS, FLAGS, PROOFS, SOURCES } from './bundle-codes.ts'
import { bundle, erased, salt } from './bundles.ts'

const whole = bundle()

describe('what is a bundle', () => {
  it.each<[string, EvidenceBundle]>([
    ['of a verified proposal', whole],
    ['of an erased one', erased(whole)],
    ['without attempts', bundle([['proposal.prepared', 'awaiting_approval']], {})],
    ['with a settlement', bundle(undefined, { settlement: settlement('occurred', { secondOperator: ref('user:b') }) })],
    ['with an attempt of another proposal', bundle(undefined, { attempts: [attempt({ proposal: null })] })],
    ...ENDINGS.map((kind): [string, EvidenceBundle] => {
      return [
        `with an attempt that ended as ${kind}`,
        bundle(undefined, { attempts: [attempt({ ending: ending(kind) })] }),
      ]
    }),
    ...SOURCES.map((source): [string, EvidenceBundle] => [`with what ${source} said`, seen({ source })]),
    ...FLAGS.map((flag): [string, EvidenceBundle] => [`with the flag ${flag}`, seen({ flags: [flag] })]),
    ...PROOFS.map((proof): [string, EvidenceBundle] => [`with the proof ${proof}`, seen({ proof })]),
  ])('one %s, as it is and as JSON', (_, one) => {
    expect(parseBundle(one)).toEqual({ kind: 'bundle', bundle: one })
    expect(parseBundle(JSON.parse(JSON.stringify(one)))).toEqual({ kind: 'bundle', bundle: one })
  })

  it('has the salt as bytes, until it is erased', () => {
    expect(saltOf(whole)).toEqual(salt)
    expect(saltOf(erased(whole))).toBeNull()
  })

  function seen(fields: Partial<EvidenceBundle['observations'][number]>): EvidenceBundle {
    return bundle(undefined, { attempts: [attempt()], observations: [observation(fields)] })
  }
})

describe('what is none', () => {
  const changes = everyChange(JSON.parse(JSON.stringify(bundle(undefined, complete()))))

  it('is told for every field: what is missing, of another kind, or too much', () => {
    expect(changes.length).toBeGreaterThan(150)
  })

  it.each(changes)('$what', ({ path, value }) => {
    const parsed = parseBundle(value)

    expect(parsed.kind).toBe('malformed')
    const paths = parsed.kind === 'malformed' ? parsed.problems.map((problem) => problem.path) : []
    expect(paths).toContain(path)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'countersign/evidence/v1'],
    ['a list', [whole]],
    ['another format', { ...whole, format: 'countersign/evidence/v2' }],
    ['a status of a newer version', { ...whole, status: 'partially_verified' }],
    ['a salt that is too short', { ...whole, receiptSalt: 'AAAA' }],
    ['a salt that is not written as it must be', { ...whole, receiptSalt: `${whole.receiptSalt?.slice(0, -1)}=` }],
    ['a fraction of a revision', { ...whole, revision: 1.5 }],
    ['an accessor that throws', Object.defineProperty({ ...whole }, 'status', { get: thrower, enumerable: true })],
    ['a proxy that throws', new Proxy({}, { get: thrower, ownKeys: thrower, has: thrower, getPrototypeOf: thrower })],
  ])('%s', (_, value) => {
    expect(parseBundle(value).kind).toBe('malformed')
  })

  it('is told by place and rule, never by what stood there', () => {
    const secret = 'carla@example.com'
    const parsed = parseBundle({ ...whole, status: secret, [secret]: 1, attempts: [{ number: secret }] })

    expect(parsed).toMatchObject({ kind: 'malformed' })
    expect(JSON.stringify(parsed)).not.toContain(secret)
  })

  test.prop([fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true })])(
    'whatever it is, it is answered',
    (value) => {
      expect(parseBundle(value).kind).toBe('malformed')
    },
  )
})

function thrower(): never {
  throw new Error('a trap')
}

/** Evidence in which no field is null. */
function complete(): Pick<EvidenceBundle, 'observations' | 'settlement'> & { attempts: ReturnType<typeof attempt>[] } {
  const full = { reason: settlement('occurred').reason, externalReference: ref('rf-1') }
  return {
    attempts: [attempt({ precondition: ref('v:7'), ending: ending('accepted', full) })],
    observations: [observation({ ...full, proof: 'terminal', flags: ['late'], matches: 1 })],
    settlement: settlement('occurred', { secondOperator: ref('user:b') }),
  }
}

interface Change {
  readonly what: string
  readonly path: string
  readonly value: unknown
}

/** The document with each of its fields missing, each holding an object instead, and each object with one field more. */
function everyChange(document: unknown): readonly Change[] {
  const places = placesIn(document, '')
  return places.flatMap((path): Change[] => {
    const broken = [{ what: `${path} of another kind`, path, value: edited(document, path, { odd: true }) }]
    const isItem = /\/\d+$/.test(path)
    return isItem ? broken : [...broken, { what: `${path} missing`, path, value: edited(document, path, null) }]
  })
}

function placesIn(value: unknown, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]: [string, unknown]) => [
    `${at}/${key}`,
    ...placesIn(part, `${at}/${key}`),
  ])
}

/** A copy with something else at the place; null takes it away. */
function edited(value: unknown, path: string, changed: object | null): unknown {
  const copy: unknown = structuredClone(value)
  const segments = path.split('/').slice(1)
  const last = segments.pop() ?? ''
  const parent = segments.reduce<unknown>((part, key) => (isObject(part) ? part[key] : part), copy)
  if (!isObject(parent)) throw new Error(`nothing has a place ${path}`)
  if (changed === null) delete parent[last]
  else parent[last] = changed
  return copy
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
