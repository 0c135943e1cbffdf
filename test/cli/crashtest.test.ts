// countersign crashtest: a careful worker survives every kill, a careless one is told which effect ran twice or was lost.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { countersign, folder, type Run } from './run-countersign.ts'

/** Many processes one after the other; nothing is judged by time. */
const MANY_PROCESSES_MS = 600_000

const reportSchema = z.strictObject({
  schema: z.literal('countersign/crash-report/v1'),
  survived: z.boolean(),
  results: z.array(
    z.strictObject({
      step: z.string().nullable(),
      state: z.string(),
      troubles: z.array(
        z.strictObject({ effect: z.string(), trouble: z.string(), count: z.int(), told: z.string().nullable() }),
      ),
      open: z.array(z.string()),
    }),
  ),
})

describe('workers against the business system', () => {
  it(
    'one that leaves it to the runtime survives a kill at every step, and asks a person where nobody can know',
    async () => {
      const run = await crashtest('test/cli/crash-scenarios/careful-worker.ts', '--json')

      const { survived, results } = reportSchema.parse(JSON.parse(run.stdout))
      expect(results.filter(({ state }) => state !== 'survived')).toEqual([])
      expect({ exitCode: run.exitCode, survived }).toEqual({ exitCode: 0, survived: true })
      expect(results.map(({ step }) => step)).toEqual(
        expect.arrayContaining(['before commit execution.started', 'before execute', 'after execute', 'before verify']),
      )
      // Between the admission and the call nobody can tell what the call has done; it is not sent again.
      expect(results.filter(({ open }) => open.length > 0).map(({ step }) => step)).toEqual([
        'after commit execution.started',
        'before execute',
      ])
    },
    MANY_PROCESSES_MS,
  )

  it(
    'one that makes a guarded call survives a kill at every step, and never makes it twice',
    async () => {
      const run = await crashtest('test/cli/crash-scenarios/guarded-worker.ts', '--json')

      const { survived, results } = reportSchema.parse(JSON.parse(run.stdout))
      expect(results.filter(({ state }) => state !== 'survived')).toEqual([])
      expect({ exitCode: run.exitCode, survived }).toEqual({ exitCode: 0, survived: true })
      expect(results.map(({ step }) => step)).toEqual([
        null,
        'before commit claim',
        'after commit claim',
        'before commit start_attempt',
        'after commit start_attempt',
        'before refund',
        'after refund',
        'before commit complete',
        'after commit complete',
        'before commit observe',
        'after commit observe',
      ])
      expect(results.filter(({ open }) => open.length > 0).map(({ step }) => step)).toEqual([
        'after commit start_attempt',
        'before refund',
      ])
    },
    MANY_PROCESSES_MS,
  )

  it(
    'one that tries again when it does not know is told which effect ran twice: exit code 1',
    async () => {
      const run = await crashtest('test/cli/crash-scenarios/retrying-worker.ts')

      expect(run).toMatchObject({ exitCode: 1, stderr: '' })
      expect(run.stdout).toMatch(/^after refund +TWICE: refund of ORD-1001 \(2 effects\)$/m)
      expect(run.stdout).toMatch(/^after note +survived$/m)
      expect(run.stdout).toMatch(/\nNOT CRASH SAFE\n$/)
    },
    MANY_PROCESSES_MS,
  )

  it(
    'one that notes before it acts is told which effect was lost: exit code 1',
    async () => {
      const run = await crashtest('test/cli/crash-scenarios/hasty-worker.ts')

      expect(run).toMatchObject({ exitCode: 1, stderr: '' })
      expect(run.stdout).toMatch(/^after note +LOST: refund of ORD-1001 \(0 effects, the worker says done\)$/m)
    },
    MANY_PROCESSES_MS,
  )
})

describe('what else may become of an effect', () => {
  it('standing and denied by the worker is told', async () => {
    const run = await written(
      `if (run === 0) await steps.step('pay', () => effect('pay')); return { pay: run ? 'not_done' : 'done' }`,
    )

    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('after pay       DENIED: pay (1 effect, the worker says not_done)')
    expect(run.stdout).toContain('before pay      survived')
  })

  it('that never comes to stand, though nobody kills the worker, is lost whatever the worker says', async () => {
    const run = await written(`await steps.step('pay', async () => {}); return { pay: 'open' }`)

    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('without a kill  LOST: pay (0 effects, the worker says open)')
  })

  it('that nobody intended is told', async () => {
    const run = await written(
      `await steps.step('pay', () => effect('pay')); if (run) await effect('fee'); return { pay: 'open' }`,
    )

    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('before pay      UNINTENDED: fee (count 1)')
  })

  it('of a worker that does not come back is told as that, unless it stands twice', async () => {
    const work = `await steps.step('pay', () => effect('pay')); if (run) process.exit(7); return { pay: 'done' }`

    const run = await written(work)

    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('before pay      NOT BACK: the worker that came after did not end')
    expect(run.stdout).toContain('after pay       TWICE: pay (2 effects)')
  })

  it('of a step that never comes again is shown by nothing, which is no success', async () => {
    const work = `await steps.step('pay ' + process.pid, () => effect('pay')); return { pay: 'done' }`

    const { exitCode, stdout } = await written(work)

    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^before pay \d+ +NOT REACHED$/m)
  })

  it('is told once for each time that a worker comes by a step', async () => {
    const work = `if (run) return { pay: 'open' }
      await steps.step('look', async () => {}); await steps.step('look', async () => {}); await effect('pay')
      return { pay: 'done' }`

    const run = await written(work)

    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    expect(run.stdout).toMatch(/^after look \(2\) +survived, a person is asked: pay$/m)
    expect(run.stdout).toContain('NO EFFECT TWICE, NONE LOST')
  })
})

/** It keeps its process alive. */
const FOR_EVER = 'setInterval(() => {}, 1000)'

/** A scenario with one step, whose target has these fields. */
function target(fields: string): string {
  return `export const crashScenario = {
    open: async () => ({ setup: null, async close() {}, ${fields} }),
    async work({ steps }) { await steps.step('a', async () => {}); return { a: 'done' } },
  }`
}

describe('a file that cannot be tested', () => {
  it.each<readonly [string, string, string]>([
    ['exports nothing', 'export {}', 'it exports no object crashScenario'],
    ['throws', 'throw new Error("no config")', 'it could not be loaded: Error: no config'],
    ['has no worker', 'export const crashScenario = { open() {} }', 'crashScenario has no function work'],
    [
      'opens nothing',
      'export const crashScenario = { async open() { throw new Error("no port") }, async work() {} }',
      'open threw: Error: no port',
    ],
    ['intends nothing', target('intended: [], async effects() { return {} }'), 'intended names no effect'],
    ['intends one twice', target('intended: ["a", "a"], async effects() { return {} }'), 'or one twice'],
    ['counts nothing', target('intended: ["a"], async effects() {}'), 'effects answers something else'],
    ['counts in words', target('intended: ["a"], async effects() { return { a: "1" } }'), 'than a whole number'],
    [
      'cannot be asked',
      target('intended: ["a"], async effects() { throw new Error("gone") }'),
      'effects threw: Error: gone',
    ],
    ['has a target that cannot be counted at', target('intended: ["a"]'), 'the target has no function effects'],
    ['waits for ever', `${FOR_EVER}; await new Promise(() => {})`, 'loading it did not end within 5000 ms'],
    [
      'waits for ever when it opens',
      `${FOR_EVER}; export const crashScenario = { open: () => new Promise(() => {}), async work() {} }`,
      'open did not end within 5000 ms',
    ],
  ])('because it %s: exit code 2, one sentence', async (_why, source, problem) => {
    const run = await tested(source, '--timeout', '5s')

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toMatch(/^countersign: .* breaks the contract of a crash test: .*\.\n$/)
    expect(run.stderr).toContain(problem)
  })

  it.each<readonly [string, string, string]>([
    ['throws', 'throw new Error("no store")', 'work threw: Error: no store'],
    ['has no steps', 'return {}', 'its worker has no steps; wrap its store or its calls'],
    ['says something else', 'await steps.step("a", async () => {}); return { pay: "fine" }', 'done, not_done or open'],
    ['waits for ever', 'await new Promise(() => setInterval(() => {}, 1000))', 'its worker did not come to its end'],
  ])('because its worker %s: exit code 2, one sentence', async (_why, work, problem) => {
    const run = await written(work, '--timeout', '5s')

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toContain(problem)
  })

  it('because it is not there: exit code 2', async () => {
    const run = await crashtest('nowhere.ts')

    expect(run).toEqual({ exitCode: 2, stdout: '', stderr: 'countersign: There is no file nowhere.ts.\n' })
  })

  it('is told apart from a command that was called wrongly: exit code 64', async () => {
    const run = await crashtest('nowhere.ts', '--timeout', 'soon')

    expect(run).toMatchObject({ exitCode: 64, stdout: '' })
    expect(run.stderr).toBe('countersign: --timeout takes a duration of at most an hour, such as 30s or 5m.\n')
  })
})

async function crashtest(...args: readonly string[]): Promise<Run> {
  return countersign(['crashtest', ...args])
}

async function tested(source: string, ...args: readonly string[]): Promise<Run> {
  const file = join(folder(), 'worker.mjs')
  writeFileSync(file, source)
  return crashtest(file, ...args)
}

/** A scenario of one effect, `pay`, that stands as lines in a file. */
async function written(work: string, ...args: readonly string[]): Promise<Run> {
  const source = `
    import { appendFile, readFile } from 'node:fs/promises'
    export const crashScenario = {
      async open(folder) {
        const file = folder + '/effects'
        await appendFile(file, '')
        return {
          setup: file,
          intended: ['pay'],
          async effects() {
            const counts = {}
            for (const name of (await readFile(file, 'utf8')).split('\\n').filter(Boolean)) counts[name] = (counts[name] ?? 0) + 1
            return counts
          },
          async close() {},
        }
      },
      async work({ setup, run, steps }) {
        const effect = async (name) => appendFile(setup, name + '\\n')
        ${work}
      },
    }`
  return tested(source, ...args)
}
