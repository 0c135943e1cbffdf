// The bench of a provider contract: fresh keys, counted effects, and the rules that hold for every answer.
import type { Clause } from '../clause.ts'
import { demand } from '../clause.ts'
import type {
  FindFault,
  Looked,
  ProviderAdapter,
  ProviderCall,
  ProviderDouble,
  SendFault,
  Sent,
} from './provider-adapter.ts'

/** One clause of a provider contract. */
export type ProviderClause = Clause<ProviderBench>

/** Adapter and double; bodies are whatever both of them understand. */
export class ProviderBench {
  readonly adapter: ProviderAdapter<unknown>
  readonly double: ProviderDouble<unknown>
  #keys = 0

  constructor(adapter: ProviderAdapter<unknown>, double: ProviderDouble<unknown>) {
    this.adapter = adapter
    this.double = double
  }

  /** A call under a key that was never used. */
  fresh(): ProviderCall<unknown> {
    this.#keys += 1
    return { key: `contract-key-${String(this.#keys).padStart(4, '0')}`, body: this.double.body() }
  }

  async effects({ key }: Pick<ProviderCall<unknown>, 'key'>): Promise<number> {
    return (await this.double.effects(key)).length
  }

  /** Sends a fresh call that must be accepted and have its one effect. */
  async accepted(): Promise<ProviderCall<unknown> & { readonly id: string }> {
    const call = this.fresh()
    const sent = await this.adapter.send(call)
    demand(sent.kind === 'accepted', 'not_accepted', `A request that can be done is answered with ${sent.kind}.`)
    return { ...call, id: sent.id }
  }

  /** Looks for a key once everything that has landed must show. */
  async settled(key: string): Promise<Looked> {
    await this.double.advance(this.adapter.declares.settleMs)
    return this.adapter.find(key)
  }
}

/** Whether the answer is proof of no effect. */
export function denies({ kind }: Sent): boolean {
  return kind === 'refused' || kind === 'not_sent'
}

/** What is missing where the double cannot set a fault. */
export function lacksSendFault(fault: SendFault): (bench: ProviderBench) => string | null {
  return ({ double }) => (double.sendFaults[fault] === undefined ? `The double cannot set the fault ${fault}.` : null)
}

/** Likewise for a look-up. */
export function lacksFindFault(fault: FindFault): (bench: ProviderBench) => string | null {
  return ({ double }) => (double.findFaults[fault] === undefined ? `The double cannot set the fault ${fault}.` : null)
}
