// What a run is asked for: how long, how often, and where its figures go.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** How long each part measures. */
export interface Options {
  readonly rounds: number
  /** Of one contender, in one round. */
  readonly sliceMs: number
  /** How many lifecycles are under way at once, setting by setting. */
  readonly inFlight: readonly number[]
  /** How many proposals the stores of `scale` hold, size by size; and of `memory` the last of them. */
  readonly sizes: readonly number[]
  /** Over how many lifecycles `memory` watches. */
  readonly lifecycles: number
  /** Shows figures of a machine that was too noisy, too. */
  readonly evenIfNoisy: boolean
  /** Whether the limit loops keep the triggers of the schema. */
  readonly triggers: boolean
  /** The folder of the JSON files. */
  readonly out: string
}

const numbers = (text: string): readonly number[] => text.split(',').map(Number)

/** Reads the arguments: names of parts, and flags. @throws TypeError */
export function readOptions(args: readonly string[]): { readonly parts: readonly string[]; readonly options: Options } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '7' },
      slice: { type: 'string', default: '2000' },
      'in-flight': { type: 'string', default: '1,16,32' },
      sizes: { type: 'string', default: '10000,100000,1000000' },
      lifecycles: { type: 'string', default: '100000' },
      'even-if-noisy': { type: 'boolean', default: false },
      triggers: { type: 'boolean', default: false },
      out: { type: 'string', default: fileURLToPath(new URL('./results', import.meta.url)) },
    },
  })
  const options: Options = {
    rounds: Number(values.rounds),
    sliceMs: Number(values.slice),
    inFlight: numbers(values['in-flight']),
    sizes: numbers(values.sizes),
    lifecycles: Number(values.lifecycles),
    evenIfNoisy: values['even-if-noisy'],
    triggers: values.triggers,
    out: values.out,
  }
  const { rounds, sliceMs, lifecycles, inFlight, sizes } = options
  for (const number of [rounds, sliceMs, lifecycles, ...inFlight, ...sizes]) {
    if (!Number.isSafeInteger(number) || number < 1) throw new TypeError('Every number must be a whole one, 1 or more')
  }
  return { parts: positionals, options }
}
