// Tampering: whoever changes, swaps or cuts what is stored gets no approval, no call and no garbage out of it.
import { describe, expect, it } from 'vitest'
import { ProposalKeys } from '../../src/runtime/keys/sealing.ts'
import { rawRows, withoutGuards } from '../store/sqlite-fixture.ts'
import { answerOf, openWorld, reference, refused, type World } from './harness.ts'
import {
  elsewhere,
  finance1,
  finance2,
  operator,
  OTHER_TENANT,
  reader,
  requester,
  service,
  TENANT,
} from './sessions.ts'

const INTENT = 'equal in both tenants'

/** Two proposals of one tenant and one of another with equal names, all approved, and with every sealed value there is. */
async function openFilled(): Promise<{ world: World; a: string; b: string; foreign: string }> {
  const world = await openWorld({ store: 'sqlite', verified: false })
  const filled = async (tenant: string, intent: string): Promise<string> => {
    const of = <S extends { readonly tenant: string }>(by: S): S => ({ ...by, tenant })
    const { proposal, commitment } = await world.runtime.prepare(of(requester), world.input({ intent }))
    await world.runtime.approve(of(finance1), proposal, { commitment, comment: `comment of ${tenant} ${intent}` })
    return proposal
  }
  return {
    world,
    a: await filled(TENANT, INTENT),
    b: await filled(TENANT, 'another one'),
    foreign: await filled(OTHER_TENANT, INTENT),
  }
}

function tamper(world: World, sql: string): void {
  withoutGuards(world.path ?? '', sql)
}

describe('threat T15: one changed byte of a stored preview', () => {
  it('threat T15: is not shown, not approved and not executed', async () => {
    const { world, a } = await openFilled()
    const { commitment } = (await world.stored(a)).proposal
    for (const spoiled of flips(world, a, 'preview')) {
      write(world, a, 'preview', spoiled)

      expect(await world.runtime.read(reader, a)).toMatchObject({ contentAvailable: false, preview: null })
      expect(await answerOf(world.runtime.approve(finance2, a, { commitment }))).toBe('content_unavailable')
      expect(await answerOf(world.runtime.execute(requester, a))).toBe('blocked content_unavailable')
    }
    expect(world.action.calls.execute).toBe(0)
  })

  it('threat T15: a preview that was sealed anew with the right key is not what was committed to', async () => {
    const world = await openWorld({ store: 'sqlite', verified: false })
    const { proposal, commitment } = await world.prepared()
    // The same key, wrapped and unwrapped by the same keyring, and another preview under it.
    const stored = await world.stored(proposal)
    const owner = { tenant: reference(TENANT), proposal: reference(proposal) }
    const key = await new ProposalKeys(world.keyring, world.clock).open(owner, stored.key)
    const shown = JSON.parse(key.open('preview', stored.content.preview)) as object
    const forged = JSON.stringify({ ...shown, amount: { amount: '11.00', currency: 'EUR' } })
    write(world, proposal, 'preview', key.seal('preview', forged))

    expect(await world.runtime.read(reader, proposal)).toMatchObject({ contentAvailable: false, preview: null })
    const error = await refused(world.runtime.approve(finance1, proposal, { commitment }))
    expect(error).toMatchObject({ code: 'content_unavailable', answer: 'damaged' })
  })
})

describe('invariant I31: what an approval stands for is all of the manifest', () => {
  it.each([
    ['the requester', `requester = 'user:eve'`],
    ['the agent', `agent = 'agent:bot'`],
    ['the agent’s owner', `agent_owner = 'user:olga'`],
    ['the replaced proposal', `replaces = 'p-0'`],
    ['the policy', `policy = replace(policy, '"count":1', '"count":2')`],
    ['the fingerprint', `command_fingerprint = 'f1_AAAA'`],
    ['the creation', `created_at = created_at - 1`],
    ['the expiry', `expires_at = expires_at + 1`],
    ['the effect reference', `effect_reference = 'another'`],
    ['the effect domain', `effect_domain = 'example.payments/other'`],
    ['the commitment', `commitment = 'c1_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'`],
  ])('changed in the database, %s is found out by approve and execute', async (_title, change) => {
    const { world, a } = await openFilled()
    tamper(world, `update proposals set ${change} where ref = '${a}'`)
    const { commitment } = (await world.stored(a)).proposal

    const approved = await answerOf(world.runtime.approve(finance2, a, { commitment }))
    const executed = await answerOf(world.runtime.execute(requester, a))

    expect(approved).toMatch(/content_unavailable/)
    expect(executed).toMatch(/commitment_mismatch|approval_pending/)
    expect(world.action.calls.execute).toBe(0)
  })

  it.each([
    ['the definition', `definition_digest = replace(definition_digest, substr(definition_digest, 1, 1), 'Z')`],
    ['the action', `action = 'example.payments/refund@2', action_name = 'example.payments/refund'`],
  ])('changed in the database, %s is found out by execute', async (_title, change) => {
    const { world, a } = await openFilled()
    tamper(world, `update proposals set ${change} where ref = '${a}'`)

    expect(await answerOf(world.runtime.execute(requester, a))).toBe('blocked commitment_mismatch')
    expect(world.action.calls.execute).toBe(0)
  })
})

describe('threat T4: approvals put where nobody gave them', () => {
  it('threat T4: an approval of one proposal, inserted for another by SQL, never counts', async () => {
    const { world, a } = await openFilled()
    const { proposal } = await world.prepared()
    tamper(
      world,
      `insert into approvals select tenant, '${proposal}', number, approval_id || 'x', decision, commitment, approver, roles, assurance, decided_at, expires_at, null from approvals where proposal = '${a}'`,
    )

    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('approval_pending')
    tamper(world, `update proposals set status = 'approved' where ref = '${proposal}'`)
    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('approval_pending approval_lapsed')
    expect(world.action.calls.execute).toBe(0)
    expect(await world.runtime.read(reader, proposal)).toMatchObject({ policy: { met: false } })
  })

  it('threat T5: an approval of another tenant, inserted by SQL, never counts', async () => {
    const { world, foreign } = await openFilled()
    const { proposal } = await world.prepared()
    tamper(
      world,
      `insert into approvals select '${TENANT}', '${proposal}', number, approval_id, decision, commitment, approver, roles, assurance, decided_at, expires_at, null from approvals where proposal = '${foreign}'`,
    )

    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('approval_pending')
  })
})

describe('threat T43: sealed values that were moved', () => {
  const columns = ['snapshot', 'preview'] as const

  it('threat T43: between columns and rows of one tenant', async () => {
    for (const column of columns) {
      const { world, a, b } = await openFilled()
      const other = column === 'snapshot' ? 'preview' : 'snapshot'
      tamper(
        world,
        `update proposals set ${column} = (select ${column} from proposals where ref = '${b}') where ref = '${a}'`,
      )
      tamper(world, `update proposals set ${column} = ${other} where ref = '${b}'`)

      for (const ref of [a, b]) expect(await openness(world, ref)).toEqual(CLOSED)
    }
  })

  it('threat T5: between tenants, with everything that belongs to them', async () => {
    const { world, a, foreign } = await openFilled()
    tamper(
      world,
      `update proposals set snapshot = (select snapshot from proposals where ref = '${foreign}'),
         preview = (select preview from proposals where ref = '${foreign}') where ref = '${a}';
       update keys set wrapped = (select wrapped from keys where proposal = '${foreign}') where proposal = '${a}'`,
    )

    expect(await openness(world, a)).toEqual(CLOSED)
  })

  it('threat T43: a key of another row, cut, or of another version', async () => {
    const changes = [
      `wrapped = (select wrapped from keys as other where other.proposal <> keys.proposal limit 1)`,
      `wrapped = substr(wrapped, 1, length(wrapped) - 1)`,
      `wrapped = x''`,
      `kek_version = 'k2'`,
    ]
    for (const change of changes) {
      const { world, a } = await openFilled()
      tamper(world, `update keys set ${change} where proposal = '${a}'`)

      expect(await openness(world, a)).toEqual(CLOSED)
    }
  })

  it('threat T43: comments of other decisions are not shown', async () => {
    const { world, a, b } = await openFilled()
    expect(await world.runtime.read(reader, a)).toMatchObject({
      approvals: [{ comment: `comment of ${TENANT} ${INTENT}` }],
    })
    tamper(
      world,
      `update approvals set comment = (select comment from approvals where proposal = '${b}') where proposal = '${a}'`,
    )

    expect(await world.runtime.read(reader, a)).toMatchObject({
      contentAvailable: true,
      approvals: [{ comment: null }],
    })
  })

  it('threat T43: a result of another proposal is not shown, and verified stays verified', async () => {
    const { world, a, b } = await openFilled()
    for (const ref of [a, b]) {
      await world.runtime.execute(requester, ref)
      await world.clock.advance(5_000)
      await world.runtime.reconcile(service, ref)
    }
    expect(await world.runtime.read(reader, a)).toMatchObject({ result: { refundId: 'rf-1' } })
    tamper(world, `update proposals set result = (select result from proposals where ref = '${b}') where ref = '${a}'`)

    expect(await world.runtime.read(reader, a)).toMatchObject({ status: 'verified', result: null })
    expect(await world.runtime.reconcile(operator, a)).toMatchObject({ status: 'verified', result: null })
  })

  it('threat T43: any bit of any sealed value', async () => {
    const { world, a } = await openFilled()
    for (const column of columns) {
      const whole = rawRows<Record<string, Buffer>>(
        world.path ?? '',
        `select ${column} from proposals where ref = '${a}'`,
      )
      for (const spoiled of flips(world, a, column)) {
        write(world, a, column, spoiled)
        expect(await world.runtime.read(reader, a)).toMatchObject({ contentAvailable: false, preview: null })
      }
      write(world, a, column, whole[0]?.[column] ?? Buffer.alloc(0))
    }
    expect(await world.runtime.read(reader, a)).toMatchObject({ contentAvailable: true })
  })

  it('threat T43: another proposal beside a spoiled one is as good as ever', async () => {
    const { world, a, b } = await openFilled()
    tamper(world, `update proposals set snapshot = x'00', preview = x'' where ref = '${a}'`)

    expect(await openness(world, a)).toEqual(CLOSED)
    expect(await answerOf(world.runtime.execute(requester, b))).toBe('verification_pending')
    expect((await world.runtime.list(reader)).items).toHaveLength(2)
    expect(await world.runtime.read(elsewhere(reader), b).catch(() => 'not found')).toBe('not found')
  })
})

/** What is shown, approved, checked and executed of a proposal whose content cannot be opened. */
async function openness(world: World, ref: string): Promise<readonly unknown[]> {
  const { commitment } = (await world.stored(ref)).proposal
  const view = await world.runtime.read(reader, ref)
  return [
    view.kind === 'proposal' ? [view.contentAvailable, view.preview] : view,
    await answerOf(world.runtime.approve(finance2, ref, { commitment })),
    await answerOf(world.runtime.check(finance1, ref)),
    await answerOf(world.runtime.execute(requester, ref)),
    world.action.calls.execute,
  ]
}

const CLOSED = [[false, null], 'content_unavailable', 'content_unavailable', 'blocked content_unavailable', 0]

/** A sealed value with one bit changed, at some places all over it. */
function flips(world: World, ref: string, column: string): readonly Uint8Array[] {
  const [row] = rawRows<Record<string, Buffer>>(
    world.path ?? '',
    `select ${column} from proposals where ref = '${ref}'`,
  )
  const sealed = row?.[column] ?? Buffer.alloc(0)
  const places = [
    0,
    1,
    12,
    13,
    Math.floor(sealed.length / 2),
    sealed.length - 17,
    sealed.length - 16,
    sealed.length - 1,
  ]
  return places.map((place) => sealed.map((byte, at) => (at === place ? byte ^ 1 : byte)))
}

function write(world: World, ref: string, column: string, sealed: Uint8Array): void {
  const hex = Buffer.from(sealed).toString('hex')
  tamper(world, `update proposals set ${column} = x'${hex}' where ref = '${ref}'`)
}
