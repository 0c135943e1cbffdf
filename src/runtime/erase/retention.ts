// Retention: what was settled or closed so long ago that the contract of its action does not keep it any longer.
import { limits } from '../../effect/limits.ts'
import type { Reference } from '../../effect/reference.ts'
import type { Definition } from '../../proposal/definition/definition.ts'
import { settlingMs } from '../clock-watch.ts'
import type { Core } from '../core.ts'
import type { DueItem } from '../ports.ts'

/** Goes through the proposals of a tenant whose time is over, those that ended first coming first. Spec: lifecycle 3. */
export async function* keptLongEnough(core: Core, tenant: Reference): AsyncGenerator<Reference> {
  for (const { definition } of core.registry.all()) {
    const { settledMs, closedMs } = definition.retention
    for (const action of actionsOf(core, definition)) {
      if (settledMs !== null)
        yield* endedBefore(core, { tenant, kind: 'settled', action, keptMs: settledMs }, definition)
      if (closedMs !== null) yield* endedBefore(core, { tenant, kind: 'closed', action, keptMs: closedMs }, definition)
    }
  }
}

// A later version speaks for an earlier one that is not registered any more, as it does in verification (rules R9).
function actionsOf(core: Core, { type, name, verifies }: Definition): readonly string[] {
  const earlier = verifies.map((version) => `${name}@${version}`)
  return [type, ...earlier.filter((action) => core.registry.verifying(action)?.definition.type === type)]
}

interface Ended {
  readonly tenant: Reference
  readonly kind: 'settled' | 'closed'
  readonly action: string
  readonly keptMs: number
}

async function* endedBefore(
  core: Core,
  { tenant, kind, action, keptMs }: Ended,
  definition: Definition,
): AsyncGenerator<Reference> {
  // What a clock that has just jumped calls old may be of yesterday, and nothing brings it back.
  if (core.clock.isUnsettled(settlingMs(definition))) return
  const until = core.clock.now() - keptMs
  for (let after: DueItem | null = null; ; ) {
    const page: readonly DueItem[] = await core.store.due({
      tenant,
      kind,
      action,
      until,
      after,
      limit: limits.pageItems,
    })
    for (const { ref } of page) yield ref
    after = page.at(-1) ?? null
    if (page.length < limits.pageItems) return
  }
}
