// The report of a crash test: for each step at which the worker was killed, which effect ran twice and which was lost.
import type { CrashOutcome } from './crash-scenario.ts'

/** What became of one effect after the worker was killed and came back. */
export type CrashTrouble =
  /** It stands at the target more than once. */
  | 'twice'
  /** It does not stand there, and the worker says that it is done, or nothing; without a kill, whatever it says. */
  | 'lost'
  /** It stands there, and the worker says that it is not done and never will be. */
  | 'denied'
  /** Nobody intended it. */
  | 'unintended'

/** An effect in trouble. */
export interface TroubledEffect {
  readonly effect: string
  readonly trouble: CrashTrouble
  readonly count: number
  readonly told: CrashOutcome | null
}

/**
 * One kill. `survived`: every effect stands once, or is known not to, or a person is asked. `harmed`: some effect is in
 * trouble. `not_back`: the worker that came after did not end. `not_reached`: the step never came, so nothing is shown.
 */
export interface CrashResult {
  /** Null for the run without a kill. */
  readonly step: string | null
  readonly state: 'survived' | 'harmed' | 'not_back' | 'not_reached'
  readonly troubles: readonly TroubledEffect[]
  /** Effects of which nobody knows, and a person is asked. */
  readonly open: readonly string[]
}

/** The whole test. It is good only if every step was reached and survived. */
export interface CrashReport {
  readonly schema: 'countersign/crash-report/v1'
  readonly results: readonly CrashResult[]
  readonly survived: boolean
}

/** The report over all kills. */
export function crashReport(results: readonly CrashResult[]): CrashReport {
  const survived = results.length > 1 && results.every(({ state }) => state === 'survived')
  return { schema: 'countersign/crash-report/v1', results, survived }
}

/** Holds what the worker says against what stands at the target. */
export function judgeEffects(
  intended: readonly string[],
  counts: Readonly<Record<string, number>>,
  told: Readonly<Record<string, CrashOutcome>>,
): Pick<CrashResult, 'troubles' | 'open'> {
  const names = [...new Set([...intended, ...Object.keys(counts)])]
  const troubles = names.flatMap((effect): readonly TroubledEffect[] => {
    const [count, word] = [counts[effect] ?? 0, told[effect] ?? null]
    const trouble = troubleOf(count, word, intended.includes(effect))
    return trouble === null ? [] : [{ effect, trouble, count, told: word }]
  })
  return { troubles, open: intended.filter((effect) => told[effect] === 'open') }
}

/** Likewise for the run without a kill, in which every effect must come to stand: a worker that does nothing loses all. */
export function judgeUnharmed(
  intended: readonly string[],
  counts: Readonly<Record<string, number>>,
  told: Readonly<Record<string, CrashOutcome>>,
): Pick<CrashResult, 'troubles' | 'open'> {
  const { troubles, open } = judgeEffects(intended, counts, told)
  const missing = intended.filter((effect) => (counts[effect] ?? 0) === 0)
  const lost = missing
    .filter((effect) => troubles.every((one) => one.effect !== effect))
    .map((effect) => ({ effect, trouble: 'lost', count: 0, told: told[effect] ?? null }) as const)
  return { troubles: [...troubles, ...lost], open }
}

function troubleOf(count: number, told: CrashOutcome | null, isIntended: boolean): CrashTrouble | null {
  if (!isIntended) return count > 0 ? 'unintended' : null
  if (count > 1) return 'twice'
  if (count === 1) return told === 'not_done' ? 'denied' : null
  return told === 'done' || told === null ? 'lost' : null
}

/** The report for a person, line by line. */
export function crashReportLines(file: string, { results, survived }: CrashReport): readonly string[] {
  const names = results.map(({ step }) => step ?? 'without a kill')
  const width = Math.max(...names.map(({ length }) => length)) + 2
  const lines = results.map((result, index) => `${(names[index] ?? '').padEnd(width)}${toldOf(result)}`)
  const verdict = survived ? 'NO EFFECT TWICE, NONE LOST' : 'NOT CRASH SAFE'
  return [`${file}: killed at ${results.length - 1} steps`, '', ...lines, '', verdict]
}

function toldOf({ state, troubles, open }: CrashResult): string {
  switch (state) {
    case 'survived':
      return open.length === 0 ? 'survived' : `survived, a person is asked: ${open.join(', ')}`
    case 'not_back':
      return 'NOT BACK: the worker that came after did not end'
    case 'not_reached':
      return 'NOT REACHED'
    case 'harmed':
      return troubles.map(sentenceOf).join('; ')
  }
}

function sentenceOf({ effect, trouble, count, told }: TroubledEffect): string {
  switch (trouble) {
    case 'twice':
      return `TWICE: ${effect} (${count} effects)`
    case 'lost':
      return `LOST: ${effect} (0 effects, the worker says ${told ?? 'nothing'})`
    case 'denied':
      return `DENIED: ${effect} (1 effect, the worker says not_done)`
    case 'unintended':
      return `UNINTENDED: ${effect} (count ${count})`
  }
}
