// The row of an effect, without its attempts and observations.
import { z } from 'zod'
import type { Settlement } from '../../effect/effect.ts'
import { parseReasonCode, parseReference } from '../../effect/reference.ts'
import type { EffectRow } from '../../runtime/ports.ts'
import { canonicalText } from '../canonical-text.ts'
import type { EffectsTable } from '../tables.ts'
import { RowReader } from './row-reader.ts'

/** The row as it stands after a write. */
export function effectRow(effect: EffectRow): EffectsTable {
  return {
    tenant: effect.key.tenant,
    domain: effect.key.domain,
    reference: effect.key.reference,
    kind: effect.kind,
    version: effect.version,
    owner: effect.owner,
    epoch: effect.epoch,
    verify_due_at: effect.verifyDueAt,
    verify_lease_holder: effect.verifyLease && effect.verifyLease.holder,
    verify_lease_until: effect.verifyLease && effect.verifyLease.until,
    absences_spent: effect.absencesSpent,
    unavailables_spent: effect.unavailablesSpent,
    settlement: effect.settlement && canonicalText(effect.settlement),
  }
}

/** @throws StoredDataCorrupt */
export function parseEffect(stored: EffectsTable): EffectRow {
  const row = new RowReader(stored, 'effects', [stored.tenant, stored.domain, stored.reference])
  return {
    key: { tenant: row.reference('tenant'), domain: row.text('domain'), reference: row.reference('reference') },
    kind: row.oneOf('kind', ['proposal', 'call']),
    version: row.integer('version'),
    owner: row.maybe('owner', (column) => row.reference(column)),
    epoch: row.integer('epoch'),
    settlement: row.maybe('settlement', (column) => row.json(column, parseSettlement)),
    verifyDueAt: row.maybe('verify_due_at', (column) => row.integer(column)),
    verifyLease: row.maybe('verify_lease_holder', (column) => ({
      holder: row.text(column),
      until: row.integer('verify_lease_until'),
    })),
    absencesSpent: row.integer('absences_spent'),
    unavailablesSpent: row.integer('unavailables_spent'),
  }
}

const reference = z.string().transform((value) => parseReference(value, ''))
const settlement = z.strictObject({
  verdict: z.enum(['occurred', 'did_not_occur', 'closed_unknown']),
  upToSequence: z.int(),
  upToAttempt: z.int(),
  by: z.string(),
  secondOperator: z.string().nullable(),
  reason: z.string().transform((value) => parseReasonCode(value, '')),
  evidenceReference: reference,
  at: z.int(),
})

function parseSettlement(value: unknown): Settlement {
  return settlement.parse(value)
}
