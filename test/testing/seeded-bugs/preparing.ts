// Seeded bugs in what an action prepares, shows and resolves.
import type { Prepare, Prepared, Resolve, Snapshot } from '../../../src/index.ts'
import { CreditAction, type CreditContract } from '../kits/credit-action.ts'
import type { SeededBug } from './seeded-bug.ts'

type Input = Prepare<CreditContract>

/** An action that prepares in another way. */
function preparing(
  prepare: (action: CreditAction, input: Input) => Promise<Prepared<CreditContract>>,
): typeof CreditAction {
  return class extends CreditAction {
    override async prepare(input: Input): Promise<Prepared<CreditContract>> {
      return prepare(new CreditAction(this.ledger), input)
    }
  }
}

export const preparingBugs: readonly SeededBug<typeof CreditAction>[] = [
  {
    title: 'names the effect by the version that it read',
    code: 'effect_reference_unstable',
    subject: preparing(async (action, input) => {
      const prepared = await action.prepare(input)
      const effectReference = input.effect.derive(prepared.snapshot.account, String(prepared.snapshot.version))
      return { ...prepared, effectReference }
    }),
  },
  {
    title: 'puts a nonce into its snapshot',
    code: 'snapshot_not_repeatable',
    subject: class extends CreditAction {
      #prepared = 0
      override async prepare(input: Input): Promise<Prepared<CreditContract>> {
        const { snapshot, effectReference } = await super.prepare(input)
        this.#prepared += 1
        return { snapshot: { ...snapshot, note: `${snapshot.note}-${this.#prepared}` }, effectReference }
      }
      override async resolve(input: Resolve<CreditContract>): Promise<Resolving> {
        const { current, precondition } = await super.resolve(input)
        return { current: current && { ...current, note: input.snapshot.note }, precondition }
      }
    },
  },
  {
    title: 'names every effect alike',
    code: 'effect_reference_shared',
    subject: preparing(async (action, input) => ({
      ...(await action.prepare(input)),
      effectReference: input.effect.derive('credit'),
    })),
  },
  {
    title: 'names the effect by what the command says',
    code: 'effect_reference_identifying',
    subject: preparing(async (action, input) => ({
      ...(await action.prepare(input)),
      effectReference: `credit:${input.command.intent}`,
    })),
  },
  {
    title: 'reserves the account when it prepares',
    code: 'prepare_writes',
    subject: preparing(async (action, input) => {
      await action.ledger.touch()
      return action.prepare(input)
    }),
  },
  {
    title: 'answers an amount that is no money',
    code: 'prepare_malformed',
    subject: preparing(async (action, input) => {
      const { snapshot, effectReference } = await action.prepare(input)
      return { snapshot: { ...snapshot, amount: { amount: '12.5', currency: 'EUR' } }, effectReference }
    }),
  },
  {
    title: 'throws when it prepares',
    code: 'prepare_threw',
    subject: preparing(async () => {
      throw new Error('not today')
    }),
  },
  {
    title: 'counts its previews',
    code: 'preview_impure',
    subject: class extends CreditAction {
      #shown = 0
      override preview(snapshot: Snapshot<CreditContract>): ReturnType<CreditAction['preview']> {
        this.#shown += 1
        return { ...super.preview(snapshot), title: `Credit ${this.#shown}` }
      }
    },
  },
  {
    title: 'shows the day in the time zone of the process',
    code: 'preview_impure',
    subject: class extends CreditAction {
      override preview(snapshot: Snapshot<CreditContract>): ReturnType<CreditAction['preview']> {
        return { ...super.preview(snapshot), title: `Credit on ${localDay('2031-01-01')}` }
      }
    },
  },
  {
    title: 'quotes the command where the ledger cannot be reached',
    code: 'error_leaks',
    subject: class extends CreditAction {
      override async prepare(input: Input): Promise<Prepared<CreditContract>> {
        try {
          return await super.prepare(input)
        } catch (cause) {
          throw new Error(`no account for ${JSON.stringify(input.command)}`, { cause })
        }
      }
    },
  },
  {
    title: 'shows the private note',
    code: 'preview_leaks',
    subject: class extends CreditAction {
      override preview(snapshot: Snapshot<CreditContract>): ReturnType<CreditAction['preview']> {
        return { ...super.preview(snapshot), title: `Credit (${snapshot.note.toUpperCase()})` }
      }
    },
  },
  {
    title: 'shows the whole snapshot',
    code: 'preview_malformed',
    subject: class extends CreditAction {
      override preview(snapshot: Snapshot<CreditContract>): ReturnType<CreditAction['preview']> {
        return { ...super.preview(snapshot), ...snapshot }
      }
    },
  },
  {
    title: 'throws when it shows',
    code: 'preview_threw',
    subject: class extends CreditAction {
      override preview(): ReturnType<CreditAction['preview']> {
        throw new Error('nothing to see')
      }
    },
  },
]

type Resolving = Awaited<ReturnType<CreditAction['resolve']>>

/** An action that resolves in another way. */
function resolving(
  resolve: (action: CreditAction, input: Resolve<CreditContract>) => Promise<Resolving>,
): typeof CreditAction {
  return class extends CreditAction {
    override async resolve(input: Resolve<CreditContract>): Promise<Resolving> {
      return resolve(new CreditAction(this.ledger), input)
    }
  }
}

export const resolvingBugs: readonly SeededBug<typeof CreditAction>[] = [
  {
    title: 'resolves to what was approved',
    code: 'drift_missed',
    subject: resolving(async (action, input) => ({ ...(await action.resolve(input)), current: input.snapshot })),
  },
  {
    title: 'calls another label drift',
    code: 'drift_on_immaterial',
    subject: resolving(async (action, input) => {
      const resolved = await action.resolve(input)
      return { ...resolved, materiallyDrifted: resolved.current?.label !== input.snapshot.label }
    }),
  },
  {
    title: 'adds the amount to the balance before it is booked',
    code: 'drift_without_change',
    subject: resolving(async (action, input) => {
      const { current, precondition } = await action.resolve(input)
      return { current: current && { ...current, balance: current.balance + 1 }, precondition }
    }),
  },
  {
    title: 'tells the day in the time zone of the process',
    code: 'resolution_not_repeatable',
    subject: class extends CreditAction {
      override async prepare(input: Input): Promise<Prepared<CreditContract>> {
        const { snapshot, effectReference } = await super.prepare(input)
        return { snapshot: { ...snapshot, note: localDay(snapshot.note) }, effectReference }
      }
      override async resolve(input: Resolve<CreditContract>): Promise<Resolving> {
        const { current, precondition } = await super.resolve(input)
        return { current: current && { ...current, note: localDay(current.note) }, precondition }
      }
    },
  },
  {
    title: 'quotes the snapshot where the ledger cannot be reached',
    code: 'error_leaks',
    subject: class extends CreditAction {
      override async resolve(input: Resolve<CreditContract>): Promise<Resolving> {
        try {
          return await super.resolve(input)
        } catch (cause) {
          throw Object.assign(new Error('the ledger is down', { cause }), { snapshot: input.snapshot })
        }
      }
    },
  },
  {
    title: 'locks the account when it resolves',
    code: 'resolve_writes',
    subject: resolving(async (action, input) => {
      await action.ledger.touch()
      return action.resolve(input)
    }),
  },
  {
    title: 'answers without a precondition',
    code: 'resolve_malformed',
    subject: resolving(async (action, input) => ({ ...(await action.resolve(input)), precondition: '' })),
  },
  {
    title: 'throws when it resolves',
    code: 'resolve_threw',
    subject: resolving(async () => {
      throw new Error('not today')
    }),
  },
]

function localDay(note: string): string {
  const due = new Date(Date.UTC(2030, 2, 31, 0, 30))
  return `${note}, due on ${due.getDate()}`
}
