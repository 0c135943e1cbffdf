// Documented commands are really run, and only what must differ between two runs is overlooked.
import { describe, expect, it } from 'vitest'
import { comparable, nodeArguments, npmScripts, runNode } from '../../tools/documented-command.ts'

describe('a documented command', () => {
  it('is the node command behind the npm script of that name', () => {
    expect(['node', ...nodeArguments('npm run map')].join(' ')).toBe(npmScripts()['map'])
  })

  it('is refused when it is not one node command', () => {
    expect(() => nodeArguments('npm run gone')).toThrow('"npm run gone"')
    expect(() => nodeArguments('npm run typecheck')).toThrow('"npm run typecheck"')
    expect(() => nodeArguments('curl example.test')).toThrow('"curl example.test"')
  })

  it('runs with what it prints and how it ends kept apart', async () => {
    const run = await runNode(['-e', 'console.log(1); console.error(2); process.exitCode = 3'])

    expect(run).toEqual({ stdout: '1\n', stderr: '2\n', exitCode: 3 })
  })

  it('runs on the Node of the tests', async () => {
    const { stdout } = await runNode(['-p', 'process.version'])

    expect(stdout.trim()).toBe(process.version)
  })
})

describe('output', () => {
  it('is the same when identifiers, instants, ports and durations differ', () => {
    const first = 'p 01KAX5J8Z4T9M2Q7R3C6V8N0WE at 2026-11-30T10:00:00.000Z on http://127.0.0.1:4000, took 12 ms  '
    const second = 'p 01KAX5J8Z4T9M2Q7R3C6V8N0WF at 2027-01-01T00:00:00Z on http://127.0.0.1:51234, took 1.5 s'

    expect(comparable(first)).toBe(comparable(second))
  })

  it('differs when a count, a status or an amount differs', () => {
    const line = 'lost response: failed_unknown -> verified, refunds: 1'

    expect(comparable(line)).not.toBe(comparable(line.replace('refunds: 1', 'refunds: 2')))
    expect(comparable(line)).not.toBe(comparable(line.replace('verified', 'failed_known')))
    expect(comparable('10.00 EUR')).not.toBe(comparable('20.00 EUR'))
  })
})
