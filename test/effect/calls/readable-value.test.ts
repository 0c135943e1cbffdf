// Table V: when the value of a guarded call may be read.
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../../src/effect/effect.ts'
import { type Readable, readableValue } from '../../../src/effect/calls/readable-value.ts'
import type { Reference } from '../../../src/effect/reference.ts'
import { ref } from '../builders.ts'

const r1 = ref('r1')
const r2 = ref('r2')

interface Row {
  readonly id: string
  readonly final: Evidence
  readonly source: 'direct' | 'verifier' | 'none'
  readonly with: Reference | null
  readonly retained: Reference | null
  readonly conflict?: true
  readonly readable: Readable
}

const TABLE_V: readonly Row[] = [
  { id: 'V01', final: 'FAILED', source: 'direct', with: null, retained: null, readable: 'unresolved' },
  { id: 'V02', final: 'UNKNOWN', source: 'direct', with: null, retained: null, readable: 'unresolved' },
  { id: 'V03', final: 'UNKNOWN', source: 'verifier', with: r1, retained: r1, readable: 'unresolved' },
  { id: 'V04', final: 'CONFIRMED', source: 'direct', with: null, retained: null, readable: 'readable' },
  { id: 'V05', final: 'CONFIRMED', source: 'direct', with: r1, retained: r1, readable: 'readable' },
  { id: 'V06', final: 'CONFIRMED', source: 'direct', with: null, retained: r1, readable: 'unavailable' },
  { id: 'V07', final: 'CONFIRMED', source: 'direct', with: r1, retained: r2, readable: 'unavailable' },
  { id: 'V08', final: 'CONFIRMED', source: 'direct', with: r1, retained: r1, conflict: true, readable: 'unavailable' },
  { id: 'V09', final: 'CONFIRMED', source: 'verifier', with: null, retained: null, readable: 'unavailable' },
  { id: 'V10', final: 'CONFIRMED', source: 'verifier', with: r1, retained: null, readable: 'unavailable' },
  { id: 'V11', final: 'CONFIRMED', source: 'verifier', with: null, retained: r1, readable: 'unavailable' },
  { id: 'V12', final: 'CONFIRMED', source: 'verifier', with: r1, retained: r1, readable: 'readable' },
  { id: 'V13', final: 'CONFIRMED', source: 'verifier', with: r1, retained: r2, readable: 'unavailable' },
  {
    id: 'V14',
    final: 'CONFIRMED',
    source: 'verifier',
    with: r1,
    retained: r1,
    conflict: true,
    readable: 'unavailable',
  },
  { id: 'V15', final: 'CONFIRMED', source: 'none', with: null, retained: null, readable: 'unavailable' },
  { id: 'V16', final: 'CONFIRMED', source: 'verifier', with: r1, retained: r1, readable: 'readable' },
  { id: 'V17', final: 'CONFIRMED', source: 'none', with: null, retained: null, readable: 'unavailable' },
]

describe('a value', () => {
  it.each(TABLE_V)('evidence $id from $source with $with, retained $retained: $readable', (row) => {
    const value = row.source === 'none' ? { source: row.source } : { source: row.source, value: 1, requestId: row.with }
    const ids = { retained: row.retained, conflict: row.conflict ?? false }

    expect(readableValue(row.final, value, ids)).toBe(row.readable)
  })
})
