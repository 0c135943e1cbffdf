// Loads the scenario of a file, in the command's process and in the worker's.
import { pathToFileURL } from 'node:url'
import type { CrashScenario } from '../../testing/crash/crash-scenario.ts'

/** As much of a stranger's error as fits into a sentence. */
const errorCharacters = 300

/** The scenario that the file exports, or what is wrong with the file. */
export async function loadScenario(
  file: string,
): Promise<
  | { readonly kind: 'scenario'; readonly scenario: CrashScenario }
  | { readonly kind: 'broken'; readonly problem: string }
> {
  let exported: unknown
  try {
    exported = await import(pathToFileURL(file).href)
  } catch (error) {
    return { kind: 'broken', problem: `it could not be loaded: ${sentenceOf(error)}` }
  }
  const scenario: unknown = Reflect.get(exported as object, 'crashScenario')
  if (typeof scenario !== 'object' || scenario === null) {
    return { kind: 'broken', problem: 'it exports no object crashScenario' }
  }
  for (const name of ['open', 'work']) {
    if (typeof Reflect.get(scenario, name) !== 'function') {
      return { kind: 'broken', problem: `crashScenario has no function ${name}` }
    }
  }
  return { kind: 'scenario', scenario: scenario as CrashScenario }
}

/** One line of an error. */
export function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `a ${typeof error}`
  return (text.split('\n')[0] ?? '').slice(0, errorCharacters)
}
