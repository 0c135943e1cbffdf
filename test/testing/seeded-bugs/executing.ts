// Seeded bugs in executors: money moved twice, on stale state, or denied.
import { DefinitiveFailure, type Execute, type Executed, NotSent } from '../../../src/index.ts'
import { CreditAction, type CreditContract, executedOf, orderOf } from '../kits/credit-action.ts'
import { type Ledger, LedgerUnreachable } from '../kits/ledger.ts'
import type { SeededBug } from './seeded-bug.ts'

type Input = Execute<CreditContract>

/** An action that executes in another way. */
function executing(execute: (ledger: Ledger, input: Input) => Promise<Executed<CreditContract>>): typeof CreditAction {
  return class extends CreditAction {
    override async execute(input: Input): Promise<Executed<CreditContract>> {
      return execute(this.ledger, input)
    }
  }
}

async function honest(ledger: Ledger, input: Input): Promise<Executed<CreditContract>> {
  return executedOf(await ledger.credit(orderOf(input)))
}

/** Treats a lost connection in its own way. */
function whenLost(act: (ledger: Ledger, input: Input) => Promise<Executed<CreditContract>>): typeof CreditAction {
  return executing(async (ledger, input) => {
    try {
      return await honest(ledger, input)
    } catch (error) {
      if (error instanceof LedgerUnreachable) return act(ledger, input)
      throw error
    }
  })
}

let underWay = 0

export const executingBugs: readonly SeededBug<typeof CreditAction>[] = [
  {
    title: 'ignores the precondition',
    code: 'stale_effect',
    subject: executing(async (ledger, input) => {
      const { version } = await ledger.read(input.snapshot.account)
      return executedOf(await ledger.credit({ ...orderOf(input), version }))
    }),
  },
  {
    title: 'checks the precondition and then writes without it',
    code: 'stale_effect',
    subject: executing(async (ledger, input) => {
      const order = orderOf(input)
      const { credits } = await ledger.find(({ key }) => key === order.key, [order.key])
      const { version } = await ledger.read(order.account)
      if (credits.length === 0 && order.version !== version) return { status: 'stale_no_effect' }
      return executedOf(await ledger.credit({ ...order, version: null }))
    }),
  },
  {
    title: 'takes the amount from another record than was shown',
    code: 'fact_differs',
    subject: executing(async (ledger, input) => {
      const order = orderOf(input)
      return executedOf(await ledger.credit({ ...order, cents: order.cents + 1 }))
    }),
  },
  {
    title: 'calls stale state a failure',
    code: 'stale_not_said',
    subject: executing(async (ledger, input) => {
      const executed = await honest(ledger, input)
      return executed.status === 'stale_no_effect' ? { status: 'failed_known', reason: 'version_conflict' } : executed
    }),
  },
  {
    title: 'throws on stale state',
    code: 'stale_not_said',
    subject: executing(async (ledger, input) => {
      const executed = await honest(ledger, input)
      if (executed.status === 'stale_no_effect') throw new Error('version conflict')
      return executed
    }),
  },
  {
    title: 'makes a key of its own for each further attempt',
    code: 'effect_denied',
    subject: executing(async (ledger, input) => {
      const key = input.attempt === 1 ? input.idempotencyKey : input.stepKey(input.attempt)
      return executedOf(await ledger.credit({ ...orderOf(input), key }))
    }),
  },
  {
    title: 'tries a second attempt on the state as it is then, under a new key',
    code: 'same_key_doubled',
    subject: executing(async (ledger, input) => {
      if (input.attempt === 1) return honest(ledger, input)
      const { version } = await ledger.read(input.snapshot.account)
      return executedOf(await ledger.credit({ ...orderOf(input), version, key: `${input.idempotencyKey}/again` }))
    }),
  },
  {
    title: 'sends without key and version under load',
    code: 'same_key_raced',
    subject: executing(async (ledger, input) => {
      underWay += 1
      const order = underWay === 1 ? orderOf(input) : { ...orderOf(input), version: null, key: `load/${underWay}` }
      await Promise.resolve()
      return executedOf(await ledger.credit(order).finally(() => void (underWay -= 1)))
    }),
  },
  {
    title: 'books twice in one call',
    code: 'effect_doubled',
    subject: executing(async (ledger, input) => {
      const executed = await honest(ledger, input)
      const order = { ...orderOf(input), key: input.stepKey(2) }
      if (executed.status === 'accepted') await ledger.credit({ ...order, version: order.version + 1 })
      return executed
    }),
  },
  {
    title: 'says accepted and sends nothing',
    code: 'accepted_without_effect',
    subject: executing(async () => ({ status: 'accepted' })),
  },
  {
    title: 'refuses everything',
    code: 'no_effect',
    subject: executing(async () => ({ status: 'failed_known', reason: 'not_today' })),
  },
  {
    title: 'does it and says that it did not',
    code: 'effect_denied',
    subject: executing(async (ledger, input) => {
      await honest(ledger, input)
      return { status: 'failed_known', reason: 'unexpected_status' }
    }),
  },
  {
    title: 'answers more than its shape',
    code: 'execute_malformed',
    subject: executing(async (ledger, input) => {
      const more = { latencyMs: 12 }
      return { ...(await honest(ledger, input)), ...more }
    }),
  },
  {
    title: 'throws although it was done',
    code: 'execute_threw',
    subject: executing(async (ledger, input) => {
      await honest(ledger, input)
      throw new Error('unexpected field in the answer')
    }),
  },
  {
    title: 'calls a lost connection a known failure',
    code: 'lost_answer_denied',
    subject: whenLost(async () => ({ status: 'failed_known', reason: 'connection_lost' })),
  },
  {
    title: 'wraps a lost connection in DefinitiveFailure',
    code: 'lost_answer_denied',
    subject: whenLost(async () => {
      throw new DefinitiveFailure('connection_lost')
    }),
  },
  {
    title: 'calls a lost connection not sent',
    code: 'lost_answer_denied',
    subject: whenLost(async () => {
      throw new NotSent('connection_lost')
    }),
  },
  {
    title: 'tries again under a new key when the connection is lost',
    code: 'retry_doubled',
    subject: whenLost(async (ledger, input) => {
      const { version } = await ledger.read(input.snapshot.account)
      return executedOf(await ledger.credit({ ...orderOf(input), version, key: input.stepKey(2) }))
    }),
  },
  {
    title: 'takes a new key when it is called again after a lost connection',
    code: 'resend_doubled',
    subject: class extends CreditAction {
      readonly #lost = new Set<string>()
      override async execute(input: Input): Promise<Executed<CreditContract>> {
        const order = orderOf(input)
        const isAgain = this.#lost.has(order.key)
        const { version } = isAgain ? await this.ledger.read(order.account) : order
        try {
          return executedOf(
            await this.ledger.credit({ ...order, version, key: isAgain ? input.stepKey(2) : order.key }),
          )
        } catch (error) {
          this.#lost.add(order.key)
          throw error
        }
      }
    },
  },
  {
    title: 'remembers in its process what it has sent',
    code: 'resend_accepted',
    subject: class extends CreditAction {
      readonly #sent = new Set<string>()
      override async execute(input: Input): Promise<Executed<CreditContract>> {
        if (this.#sent.has(input.idempotencyKey)) return { status: 'accepted' }
        this.#sent.add(input.idempotencyKey)
        return super.execute(input)
      }
    },
  },
  {
    title: 'calls a lost connection accepted',
    code: 'lost_request_accepted',
    subject: whenLost(async () => ({ status: 'accepted' })),
  },
  {
    title: 'writes the private note into its error',
    code: 'error_leaks',
    subject: whenLost(async (_ledger, { snapshot }) => {
      throw new Error(`lost: ${JSON.stringify(snapshot)}`)
    }),
  },
]
