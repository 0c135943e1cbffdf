// The figures of a crash proof: what was reached how often, how the lives ended, and what was broken.
import type { Ends } from './recovery.ts'

/** Counts what a proof has come to. A proof that has reached nothing has shown nothing. */
export class Figures {
  readonly reached = new Map<string, number>()
  readonly ends = new Map<string, number>()
  readonly broken: string[] = []
  recoveries = 0
  /** Lives that ended with a person being asked. */
  asked = 0

  reach(place: string): void {
    this.reached.set(place, (this.reached.get(place) ?? 0) + 1)
  }

  /** Takes in a recovery; `where` names the fault, so that it can be repeated. */
  recovered(where: string, { broken, ends }: { readonly broken: readonly string[]; readonly ends: Ends }): void {
    this.recoveries += 1
    this.blame(where, broken)
    for (const end of Object.values(ends)) {
      this.ends.set(end, (this.ends.get(end) ?? 0) + 1)
      if (end === 'verification_unresolved') this.asked += 1
    }
  }

  blame(where: string, broken: readonly string[]): void {
    this.broken.push(...broken.map((sentence) => `${where}: ${sentence}`))
  }

  /** For a person, line by line. */
  lines(): readonly string[] {
    const told = (counts: ReadonlyMap<string, number>): string =>
      [...counts]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => `${name} ${count}`)
        .join(', ')
    const total = [...this.reached.values()].reduce((sum, count) => sum + count, 0)
    return [
      `reached: ${total} (${told(this.reached)})`,
      `recovered to the end: ${this.recoveries} times; ${told(this.ends)}; a person is asked: ${this.asked}`,
      this.broken.length === 0 ? 'nothing broken' : `BROKEN:\n${this.broken.join('\n')}`,
    ]
  }
}
