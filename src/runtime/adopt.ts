// Adoption: before anything else, the actions and the reference key are held against what the store remembers.
import { DefinitionError, ReferenceKeyChanged } from '../proposal/errors.ts'
import { referenceKeyCheck } from '../proposal/fingerprint.ts'
import type { Store } from './ports.ts'
import type { Registry } from './registry.ts'

/**
 * Refuses a reference key or an effect domain under which the store's effects would be named anew: each of them would
 * let what was done once be done again. Spec: lifecycle 1, rules R9, trace S11.
 * @throws ReferenceKeyChanged, DefinitionError
 */
export async function adopt(store: Store, registry: Registry, referenceKey: Uint8Array): Promise<void> {
  const definitions = registry.all().map(({ definition }) => definition)
  const domains = Object.fromEntries(definitions.map(({ name, domain }) => [name, domain]))
  const check = referenceKeyCheck(referenceKey)
  const identity = await store.adopt({ referenceKeyCheck: check, domains })
  if (identity.referenceKeyCheck !== check) throw new ReferenceKeyChanged()
  for (const { type, name, domain, formerDomains } of definitions) {
    const known = identity.domains[name] ?? []
    const forgotten = known.filter((former) => former !== domain && !formerDomains.includes(former))
    if (forgotten.length === 0) continue
    const message = `its effects were named under ${forgotten.join(', ')} before; list it in formerDomains`
    throw new DefinitionError(type, [{ path: '/effectDomain', rule: 'domain_changed', message }])
  }
}
