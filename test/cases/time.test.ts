// Cases about time: a calendar date has no zone, and one clock decides when an approval is over.
import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { PatientClock } from '../store/patient-clock.ts'
import { openExecution } from '../runtime/execution-world.ts'
import { answerOf, MINUTE_MS, START, unsound } from '../runtime/harness.ts'
import { finance1, requester } from '../runtime/sessions.ts'
import { SECOND_MS } from './steps.ts'

describe('case C108: due today, or since yesterday?', () => {
  const zone = process.env['TZ']
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it('case C108 a date is text: it is shown and found the same on servers in every zone', async () => {
    // 19:30 in Chicago on 31 March, which is past midnight in London and morning in Tokyo.
    const world = await openExecution({ store: 'sqlite', clock: new PatientClock(Date.UTC(2026, 3, 1, 0, 30)) })
    process.env['TZ'] = 'America/Chicago'
    const ref = await world.approved('pay the invoice', { memo: '2026-03-31' })

    for (const other of ['America/Chicago', 'UTC', 'Asia/Tokyo']) {
      process.env['TZ'] = other
      const server = await world.open()
      expect(await server.check(finance1, ref)).toEqual({ outcome: 'checked', drifted: false, paths: [] })
    }
    process.env['TZ'] = 'Asia/Tokyo'
    await world.execute(ref)

    expect(world.log.executed.map(({ input }) => input.snapshot.memo)).toEqual(['2026-03-31'])
  })

  it('case C108 a count of days that is derived from today is drift by the clock alone, and is named', async () => {
    const world = await openExecution({ store: 'memory', clock: new PatientClock(Date.UTC(2026, 3, 1, 0, 30)) })
    const daysOverdue = (): number => (new Date(world.clock.now()).getDate() === 31 ? 0 : 1)
    const { prepare, resolve } = world.action.methods
    world.action.methods.prepare = async (input) => {
      const prepared = await prepare(input)
      return { ...prepared, snapshot: { ...prepared.snapshot, orderVersion: daysOverdue() } }
    }
    world.action.methods.resolve = async (input) => {
      const resolved = await resolve(input)
      return { ...resolved, current: unsound({ ...resolved.current, orderVersion: daysOverdue() }) }
    }
    process.env['TZ'] = 'America/Chicago'
    const ref = await world.approved('pay the invoice')
    process.env['TZ'] = 'UTC'

    expect((await world.execute(ref)).status).toBe('stale')
    expect(await world.runtime.read(finance1, ref)).toMatchObject({ driftPaths: ['/orderVersion'] })
  })

  it('case C108 the zone of the process is what these tests say it is', () => {
    const printed = execFileSync(process.execPath, ['-p', 'new Date(0).getHours()'], {
      env: { ...process.env, TZ: 'Asia/Tokyo' },
      encoding: 'utf8',
    })
    process.env['TZ'] = 'Asia/Tokyo'

    expect(new Date(0).getHours()).toBe(Number(printed))
  })
})

describe('case C110: application clock ahead of the database clock', () => {
  const skewMs = 90 * SECOND_MS

  it.each([
    [9.5, -skewMs, 'verification_pending'],
    [9.5, 0, 'verification_pending'],
    // A clock that is ahead may end it early, and never revives it.
    [9.5, skewMs, 'expired'],
    [10, -skewMs, 'expired'],
    [10.5, -skewMs, 'expired'],
    [11.9, -skewMs, 'expired'],
    [11.9, skewMs, 'expired'],
  ])('case C110 at %d minutes of 10, on a server %d ms off: %s', async (minutes, offMs, status) => {
    // The calls are logged by the store's clock, while a server that is off counts its lease by its own.
    const world = await openExecution({ store: 'sqlite', except: ['I9'] })
    const { proposal, commitment } = await world.prepared()
    const ahead = await world.open({ clock: new VirtualClock(START + skewMs) })
    await ahead.approve(finance1, proposal, { commitment })
    await world.clock.advance(minutes * MINUTE_MS)

    const server = await world.open({ clock: new VirtualClock(world.clock.now() + offMs) })
    const said = await server.execute(requester, proposal)

    expect(said.status).toBe(status)
    expect(world.action.calls.execute).toBe(status === 'expired' ? 0 : 1)
    // What a server answered is what the next one answers, whatever its clock says.
    const next = await world.open({ clock: new VirtualClock(world.clock.now() - 5 * MINUTE_MS) })
    expect(await answerOf(next.execute(requester, proposal))).toBe(said.outcome)
    const sequences = (await next.receipts(requester, proposal)).receipts.map(({ sequence }) => sequence)
    expect(sequences).toEqual(sequences.map((_, index) => index + 1))
  })
})
