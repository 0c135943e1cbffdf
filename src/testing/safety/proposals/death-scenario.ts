// The check that kills a worker at every step of an execution, and lets another one find out what became of it.
import type { Stage } from '../stage.ts'
import type { Scenario } from '../scenario.ts'
import type { ProposalCast } from './proposal-cast.ts'

/** More steps than an execution has. */
const STEPS_MAX = 60
const LEASE_MS = 60_000

/**
 * One proposal for every step. The worker dies at that call of the store, once before the call is made and once after;
 * the next worker waits for its lease, looks, and goes on where nothing was ever sent. Every effect must be there once.
 */
export const deathScenario: Scenario<ProposalCast> = {
  id: 'worker_killed_at_each_step',
  title: 'Worker killed at each step',
  clauses: ['design D9', 'evidence K2', 'evidence K3', 'evidence K4', 'evidence K5', 'evidence K6'],
  expected: {},
  async script(cast, stage) {
    let deaths = 0
    for (const isCallMade of [false, true]) {
      for (let step = 1; step <= STEPS_MAX; step += 1) {
        const died = await dieAndRecover(cast, stage, { step, isCallMade })
        if (!died) break
        deaths += 1
      }
    }
    stage.must(`workers died at many steps: ${deaths}`, deaths > 10)
  },
}

async function dieAndRecover(
  cast: ProposalCast,
  stage: Stage,
  { step, isCallMade }: { readonly step: number; readonly isCallMade: boolean },
): Promise<boolean> {
  const where = `step ${step}, ${isCallMade ? 'after' : 'before'} the call`
  const proposal = await cast.approved(where)
  const before = { effects: stage.provider.effects, calls: stage.provider.chargeCalls }
  const mortal = await cast.mortal(step, isCallMade)
  const execution = cast.execute(proposal, mortal.runtime)
  execution.catch(() => null)
  await Promise.race([execution, mortal.death])
  const died = mortal.isDead()
  // The dead one's call may still be at the provider.
  await stage.wait(2 * LEASE_MS)
  let { status } = await cast.settled(proposal)
  if (status === 'approved') {
    await cast.execute(proposal)
    status = (await cast.settled(proposal)).status
  }
  stage.mustBe(`the status in the end, death at ${where}`, status, 'verified')
  stage.mustBe(`the effects, death at ${where}`, stage.provider.effects - before.effects, 1)
  return died
}
