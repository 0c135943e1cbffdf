// What differs between two previews, as it is shown: an amount as a whole, with its currency, whichever part of it moved.
import type { JsonValue } from '../../../effect/canonical-json.ts'
import { jsonPointer, parseJsonPointer, valueAt } from '../../../effect/json-pointer.ts'
import type { Drift } from '../../../proposal/content/drift.ts'
import { isMoneyValue, type Money } from '../../../proposal/money.ts'

/** The changes up to the preview as it is now; those that are parts of one amount are one. */
export function wholeChanges(preview: JsonValue, changes: readonly Drift[]): readonly Drift[] {
  const whole = new Map<string, Drift>()
  for (const change of changes) {
    const [amount, part] = partOfAmount(preview, change.path)
    if (amount === null || typeof change.before !== 'string') {
      whole.set(change.path, change)
      continue
    }
    const { path, now } = amount
    const known = whole.get(path)?.before
    const before = { ...(isMoneyValue(known) ? known : now), [part]: change.before }
    whole.set(path, { path, before, after: now })
  }
  return [...whole.values()]
}

function partOfAmount(
  preview: JsonValue,
  pointer: string,
): readonly [amount: { readonly path: string; readonly now: Money } | null, part: string] {
  const segments = parseJsonPointer(pointer) ?? []
  const part = segments.at(-1) ?? ''
  const path = jsonPointer(segments.slice(0, -1))
  const now = segments.length === 0 ? undefined : valueAt(preview, path)
  return [isMoneyValue(now) ? { path, now } : null, part]
}
