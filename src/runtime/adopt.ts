// Adoption: before anything else, the actions and the reference key are held against what the store remembers.
import type { Definition } from '../proposal/definition/definition.ts'
import { DefinitionError, ReferenceKeyChanged } from '../proposal/errors.ts'
import { referenceKeyCheck } from '../proposal/content/fingerprint.ts'
import type { Core } from './core.ts'
import type { Store, StoreIdentity } from './ports.ts'
import type { Registry } from './registry.ts'

/**
 * Refuses a reference key or an effect domain under which the store's effects would be named anew: each of them would
 * let what was done once be done again. Spec: lifecycle 1, rules R9, trace S11.
 * @throws ReferenceKeyChanged, DefinitionError
 */
export async function adopt(store: Store, registry: Registry, referenceKey: Uint8Array): Promise<void> {
  const definitions = registry.all().map(({ definition }) => definition)
  const check = referenceKeyCheck(referenceKey)
  // Compared before anything is remembered: a definition that is refused must not stand in the way of the right one.
  const known = await store.adopt({ referenceKeyCheck: check, domains: {} })
  if (known.referenceKeyCheck !== check) throw new ReferenceKeyChanged()
  refuseForgotten(definitions, known)
  // And after it: somebody else may have opened the store at the same time.
  for (const { name, domain } of definitions) {
    refuseForgotten(definitions, await store.adopt({ referenceKeyCheck: check, domains: { [name]: domain } }))
  }
}

/**
 * Whether the store has by now effects of this action under a domain that the definition does not know: another version
 * was opened on it since.
 */
export async function hasForeignDomain(core: Core, { name, domain, formerDomains }: Definition): Promise<boolean> {
  const check = referenceKeyCheck(core.referenceKey)
  const { domains } = await core.store.adopt({ referenceKeyCheck: check, domains: {} })
  return (domains[name] ?? []).some((known) => known !== domain && !formerDomains.includes(known))
}

// A domain is known if the store remembers it, or if another version of the action here has it.
function refuseForgotten(definitions: readonly Definition[], identity: StoreIdentity): void {
  for (const { type, name, domain, formerDomains } of definitions) {
    const here = definitions.filter((other) => other.name === name).map((other) => other.domain)
    const known = new Set([...(identity.domains[name] ?? []), ...here])
    const forgotten = [...known].filter((former) => former !== domain && !formerDomains.includes(former))
    if (forgotten.length === 0) continue
    const message = `its effects were named under ${forgotten.join(', ')} before; list it in formerDomains`
    throw new DefinitionError(type, [{ path: '/effectDomain', rule: 'domain_changed', message }])
  }
}
