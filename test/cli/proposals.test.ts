// countersign proposals against a running server: looked at, decided on, executed, withdrawn and erased, with exit codes.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { tokenOf } from '../http/world.ts'
import { examiner } from '../runtime/operators.ts'
import { elsewhere, finance1, operator, privacy, requester, stranger } from '../runtime/sessions.ts'
import { openServed, type ServedWorld } from '../client/served-world.ts'
import { countersign, type Run } from './run-countersign.ts'

async function as(by: Session, world: ServedWorld, args: readonly string[]): Promise<Run> {
  return countersign(args, { env: { COUNTERSIGN_URL: world.proxy.url, COUNTERSIGN_TOKEN: tokenOf(by) } })
}

describe('the lifecycle from the command line', () => {
  it('is listed, shown, approved by what was shown, executed, reconciled and proven', async () => {
    const world = await openServed()
    const { proposal, commitment } = await world.prepared()

    const listed = await as(finance1, world, ['proposals', 'list', '--status', 'awaiting_approval'])
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' })
    expect(listed.stdout).toContain(`${proposal}  awaiting_approval  example.payments/refund@1  user:rita  until 2030-`)

    const shown = await as(finance1, world, ['proposals', 'show', proposal])
    expect(shown.exitCode).toBe(0)
    expect(shown.stdout).toContain('"amount": "10.00"')
    expect(shown.stdout).toContain(`countersign proposals approve ${proposal} --commitment ${commitment}`)

    const decision = ['proposals', 'approve', proposal, '--commitment', commitment, '--if-revision', '0']
    const approved = await as(finance1, world, [...decision, '--comment', 'as agreed'])
    expect(approved).toMatchObject({ exitCode: 0, stderr: '' })
    expect(approved.stdout).toMatch(/^outcome {2}approved\nstatus {3}approved, revision 1\nnext {5}execute\n$/)

    const executed = await as(requester, world, ['proposals', 'execute', proposal, '--json'])
    expect(executed.exitCode).toBe(0)
    expect(JSON.parse(executed.stdout)).toMatchObject({ outcome: 'verification_pending', nextStep: 'wait' })

    await world.clock.advance(60_000)
    const reconciled = await as(requester, world, ['proposals', 'reconcile', proposal])
    expect(reconciled.exitCode).toBe(0)
    expect(reconciled.stdout).toContain('evidence  CONFIRMED, attempts 1')

    const exported = await as(examiner, world, ['receipts', 'export', proposal])
    const verified = await countersign(['receipts', 'verify', '-'], { input: exported.stdout })
    expect(verified.stdout).toContain('outcome      CONFIRMED, status agrees')
  })

  it('withdraws and erases', async () => {
    const world = await openServed()
    const { proposal } = await world.prepared()

    const withdrawn = await as(requester, world, ['proposals', 'withdraw', proposal, '--reason', 'not_needed'])
    const erased = await as(privacy, world, ['proposals', 'erase', proposal, '--reason', 'subject_request'])
    const shown = await as(requester, world, ['proposals', 'show', proposal])

    expect([withdrawn.exitCode, erased.exitCode, shown.exitCode]).toEqual([0, 0, 0])
    expect(erased.stdout).toContain('outcome  erased\n')
    expect(shown.stdout).toMatch(/erased {4}2030-.*, subject_request\n/)
    expect(shown.stdout).not.toContain('10.00')
  })

  it('pages by the cursor that it prints', async () => {
    const world = await openServed()
    const { proposal: first } = await world.prepared()
    const { proposal: second } = await world.prepared()

    const page1 = await as(requester, world, ['proposals', 'list', '--limit', '1'])
    const cursor = /^More: --cursor (\S+)$/m.exec(page1.stdout)?.[1] ?? ''
    const page2 = await as(requester, world, ['proposals', 'list', '--limit', '1', '--cursor', cursor])

    expect(page1.stdout).toContain(second)
    expect(page2.stdout).toContain(first)
  })
})

describe('exit codes', () => {
  it('an outcome that was not wanted exits with 1, and says which', async () => {
    const world = await openServed()
    const { proposal, commitment } = await world.prepared()

    const early = await as(requester, world, ['proposals', 'execute', proposal])
    await as(finance1, world, ['proposals', 'reject', proposal, '--commitment', commitment])
    const late = await as(finance1, world, ['proposals', 'approve', proposal, '--commitment', commitment])

    expect([early.exitCode, late.exitCode]).toEqual([1, 1])
    expect(early.stdout).toContain('outcome  approval_pending\n')
    expect(late.stdout).toContain('outcome  rejected\n')
  })

  it.each([
    ['another commitment', finance1, 'approve', ['--commitment', 'c1_x'], 'names another commitment'],
    ['no right', stranger, 'execute', [], 'There is no such proposal'],
    ['another tenant', elsewhere(operator), 'show', [], 'There is no such proposal'],
    ['a revision that has passed', requester, 'execute', ['--if-revision', '7'], 'has changed since it was read'],
    ['a reason that is no code', requester, 'withdraw', ['--reason', 'Not Needed'], 'does not fit its schema'],
  ] as const)('a refusal exits with 1 and one sentence: %s', async (_, by, command, args, sentence) => {
    const world = await openServed()
    const { proposal } = await world.prepared()

    const run = await as(by, world, ['proposals', command, proposal, ...args])

    expect(run).toMatchObject({ exitCode: 1, stdout: '' })
    expect(run.stderr).toMatch(/^countersign: .*\n$/)
    expect(run.stderr).toContain(sentence)
  })

  it('a token that is not accepted, and a server that is not there, exit with 2', async () => {
    const world = await openServed({ app: { authenticate: () => null } })
    const nobody = await as(requester, world, ['proposals', 'list'])
    const env = { COUNTERSIGN_URL: 'http://127.0.0.1:9', COUNTERSIGN_TOKEN: 'sesame-secret' }
    const nowhere = await countersign(['proposals', 'list', '--verbose'], { env })

    expect([nobody.exitCode, nowhere.exitCode]).toEqual([2, 2])
    expect(nobody.stderr).toBe(
      'countersign: There is no valid proof of who is calling. COUNTERSIGN_TOKEN must hold a token that the server knows.\n',
    )
    expect(nowhere.stderr).toMatch(
      /^countersign: The server cannot be reached; nothing was done\. COUNTERSIGN_URL says where/,
    )
    expect(nowhere.stderr).not.toContain('sesame-secret')
  })

  it('an execution whose answer is lost is looked into, and exits by what is found', async () => {
    const world = await openServed()
    const { proposal } = await world.approvedProposal()
    world.proxy.faults.push('after')

    const run = await as(requester, world, ['proposals', 'execute', proposal])

    expect(run.exitCode).toBe(0)
    expect(run.stdout).toContain('outcome   verification_pending\n')
    expect(world.action.calls.execute).toBe(1)
  })
})

it('an execution that may not have arrived exits with 2, and says what to do', async () => {
  const world = await openServed()
  const { proposal } = await world.approvedProposal()
  world.proxy.faults.push('before')

  const run = await as(requester, world, ['proposals', 'execute', proposal])

  expect(run).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: 'countersign: The answer was lost; read the proposal before doing anything else.\n',
  })
  expect(world.action.calls.execute).toBe(0)
})

describe('case C106 what others wrote', () => {
  it('is shown with everything invisible spelled out, as text and as JSON', async () => {
    const world = await openServed()
    world.action.methods.preview = ({ orderReference, amount, refunded }) => {
      return { title: 'Refund \u202E00.01\u001B[2K', orderReference, amount, alreadyRefunded: refunded }
    }
    const { proposal } = await world.prepared()

    const text = await as(finance1, world, ['proposals', 'show', proposal])
    const json = await as(finance1, world, ['proposals', 'show', proposal, '--json'])

    expect(text.stdout).toContain('Refund \\u{202e}00.01')
    for (const invisible of ['\u202E', '\u001B']) expect(text.stdout + json.stdout).not.toContain(invisible)
    expect(JSON.parse(json.stdout)).toMatchObject({ preview: { title: 'Refund \u202E00.01\u001B[2K' } })
  })
})
