// Table V on whole calls: ids as they are retained, and the values that may be read with them.
import { describe, expect, it } from 'vitest'
import { ResultValueUnavailableError, UnresolvedActionError } from '../../src/effect/calls/action-error.ts'
import type { ActionResult } from '../../src/effect/calls/action-result.ts'
import type { VerifyAction } from '../../src/runtime/calls/operation.ts'
import { charge, down, fencedAbsence, found, foundAs, never, openBench } from './bench.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'

/** What reading the value comes to. */
function read({ value }: { readonly value: unknown }): unknown {
  return value
}

function readingOf(result: ActionResult): unknown {
  try {
    return read(result)
  } catch (error) {
    return error instanceof Error ? error.constructor : error
  }
}

interface Row {
  readonly id: string
  /** The id that the operation reports before it returns `direct`. */
  readonly direct: string | null
  readonly verifier?: VerifyAction
  /** Observed by somebody else while the verifier looks. */
  readonly other?: VerifyAction
  readonly reads: unknown
  readonly ids: readonly string[]
  readonly conflict?: true
}

const unreadable = ResultValueUnavailableError

const ROWS: readonly Row[] = [
  { id: 'V01', direct: null, verifier: fencedAbsence, reads: UnresolvedActionError, ids: [] },
  { id: 'V02', direct: null, verifier: down, reads: UnresolvedActionError, ids: [] },
  { id: 'V04', direct: null, reads: 'direct', ids: [] },
  { id: 'V04', direct: null, verifier: found, reads: 'direct', ids: [] },
  { id: 'V05', direct: 'r1', reads: 'direct', ids: ['r1'] },
  { id: 'V05', direct: 'r1', verifier: foundAs('r1', 'read back'), reads: 'direct', ids: ['r1'] },
  { id: 'V05', direct: 'r1', verifier: foundAs(null, 'read back'), reads: 'direct', ids: ['r1'] },
  { id: 'V06', direct: null, verifier: foundAs('r1', 'read back'), reads: unreadable, ids: ['r1'] },
  { id: 'V07', direct: 'r1', verifier: foundAs('r2', 'read back'), reads: unreadable, ids: ['r1', 'r2'] },
]

describe.each(EVERY_STORE)('the value of a call on %s', (store) => {
  it.each(ROWS)('evidence $id that reported $direct', async ({ direct, verifier, reads, ids }) => {
    const { runner } = await openBench(store)

    const result = await runner.execute(
      'charge',
      ({ reportRequestId }) => {
        if (direct !== null) reportRequestId(direct)
        return 'direct'
      },
      charge(verifier && { verifier }),
    )

    expect(readingOf(result)).toBe(reads)
    expect(result.receipt).toMatchObject({ providerRequestIds: ids, providerRequestIdConflict: false })
  })

  it.each<[string, VerifyAction, unknown]>([
    ['V09', foundAs(null, 'read back'), unreadable],
    ['V12', foundAs('r1', 'read back'), 'read back'],
    ['V16', foundAs('r1', null), null],
    ['V17', found, unreadable],
  ])('evidence %s that a verifier recovers of a lost answer', async (id, verifier, reads) => {
    const { runner } = await openBench(store)
    const throws = (): never => {
      throw new Error('lost')
    }
    const first = await runner.execute('charge', throws, charge(id === 'V16' ? {} : { verifier }))
    const result = id === 'V16' ? await runner.execute('charge', never, charge({ verifier })) : first

    expect(result.status).toBe('CONFIRMED')
    expect(result.replayed).toBe(id === 'V16')
    expect(readingOf(result)).toBe(reads)
    expect(readingOf(await runner.execute('charge', never, charge()))).toBe(unreadable)
  })

  it('evidence V08 V13 V14 with two confirmations of different requests stays confirmed and is withheld', async () => {
    const { runner } = await openBench(store)
    const { receipt } = await runner.execute('charge', () => Promise.reject(new Error('lost')), charge())
    await runner.reconcile(receipt.actionId, foundAs('r1', 'first'))

    const second = await runner.reconcile(receipt.actionId, foundAs('r2', 'second'))
    const third = await runner.reconcile(receipt.actionId, foundAs('r1', 'first again'))

    for (const result of [second, third]) {
      expect(result.status).toBe('CONFIRMED')
      expect(result.receipt).toMatchObject({
        providerRequestId: 'r1',
        providerRequestIds: ['r1', 'r2'],
        providerRequestIdConflict: true,
      })
      expect(readingOf(result)).toBe(unreadable)
    }
  })

  it('evidence V10 V11 needs an id on both sides', async () => {
    const { runner } = await openBench(store)
    const { receipt } = await runner.execute('charge', () => Promise.reject(new Error('lost')), charge())
    await runner.reconcile(receipt.actionId, foundAs('r1', 'first'))

    expect(readingOf(await runner.reconcile(receipt.actionId, foundAs(null, 'second')))).toBe(unreadable)
  })

  it('keeps an id of a call that threw, for diagnosis alone, and none that is malformed', async () => {
    const { runner, warnings } = await openBench(store)
    const result = await runner.execute(
      'charge',
      ({ reportRequestId }) => {
        reportRequestId('r0')
        reportRequestId(' ')
        throw new Error('lost')
      },
      charge(),
    )

    expect(result.receipt).toMatchObject({ providerRequestId: null, providerRequestIds: ['r0'] })
    expect(warnings).toEqual(['request_id_malformed'])
    const confirmed = await runner.reconcile(result.receipt.actionId, foundAs('r1', 1))
    expect(confirmed.receipt).toMatchObject({
      providerRequestId: 'r1',
      providerRequestIds: ['r0', 'r1'],
      providerRequestIdConflict: false,
    })
    const odd = await runner.reconcile(result.receipt.actionId, foundAs('x\u0000', 1))
    expect(odd.receipt.providerRequestIds).toEqual(['r0', 'r1'])
  })
})
