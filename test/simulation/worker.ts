// The recovery round of a machine: whatever is due, found by asking for what is due and in no other way.
import type { Machine } from './machine.ts'
import type { Office } from './office.ts'
import type { Tenant } from './tenant.ts'

/** One round over a tenant: expiry, verification, execution of what is approved, erasure. Spec: store 4. */
export async function carryOutDue(office: Office, machine: Machine, tenant: Tenant): Promise<void> {
  const worker = tenant.session('worker')
  await office.ask(machine, tenant, 'expireDue', async (runtime) => {
    return { outcome: `${(await runtime.expireDue(worker)).expired.length} expired` }
  })
  const due: string[] = []
  const approved: string[] = []
  await office.ask(machine, tenant, 'list', async (runtime) => {
    due.push(...(await runtime.list(worker, { due: true })).items.map(({ proposal }) => proposal))
    approved.push(...(await runtime.list(worker, { statuses: ['approved'] })).items.map(({ proposal }) => proposal))
    return { outcome: 'listed' }
  })
  for (const ref of due) await office.ask(machine, tenant, 'reconcile', (runtime) => runtime.reconcile(worker, ref))
  for (const ref of approved) await executeOnce(office, machine, tenant, 'worker', ref)
  await office.ask(machine, tenant, 'eraseDue', async (runtime) => {
    const results = await runtime.eraseDue(tenant.session('pia'))
    return { outcome: results.map(({ outcome }) => outcome).join(' ') || 'none' }
  })
}

/** Has a machine execute a proposal that it is not executing already. */
export async function executeOnce(
  office: Office,
  machine: Machine,
  tenant: Tenant,
  by: 'worker' | 'rita',
  ref: string,
): Promise<void> {
  const name = `${tenant.tenant} ${ref}`
  if (machine.executing.has(name)) return
  machine.executing.add(name)
  await office.ask(machine, tenant, 'execute', (runtime) => runtime.execute(tenant.session(by), ref))
  machine.executing.delete(name)
}
