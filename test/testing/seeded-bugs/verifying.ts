// Seeded bugs in verifiers: effects claimed, hidden, doubled into one, and absences that nobody can know.
import type { Verified, Verify } from '../../../src/index.ts'
import { CreditAction, type CreditContract, foundOf, verifiedOf } from '../kits/credit-action.ts'
import { AnswerCutOff, type Credit, type Ledger, LedgerUnreachable } from '../kits/ledger.ts'
import type { SeededBug } from './seeded-bug.ts'

type Answer = Verified<CreditContract>
type Input = Verify<CreditContract>
type Completion = Extract<Answer, { status: 'verified_completion' }>

/** An action that verifies in another way; `honest` is the correct answer. */
function verifying(
  verify: (honest: () => Promise<Answer>, input: Input, ledger: Ledger) => Promise<Answer>,
): typeof CreditAction {
  return class extends CreditAction {
    override async verify(input: Input): Promise<Answer> {
      return verify(async () => super.verify(input), input, this.ledger)
    }
  }
}

/** Tells a completion in another way. */
function telling(tell: (found: Completion, input: Input) => Answer): typeof CreditAction {
  return verifying(async (honest, input) => {
    const answer = await honest()
    return answer.status === 'verified_completion' ? tell(answer, input) : answer
  })
}

/** Tells an absence in another way. */
function missing(tell: (input: Input) => Answer): typeof CreditAction {
  return verifying(async (honest, input) => {
    const answer = await honest()
    return answer.status === 'provisional_absence' ? tell(input) : answer
  })
}

/** Looks for something else than the exact keys. */
function lookingFor(isAskedFor: (credit: Credit, input: Input) => boolean): typeof CreditAction {
  return verifying(async (_honest, input, ledger) => {
    const keys: readonly string[] = input.idempotencyKeys
    return verifiedOf(await ledger.find((credit) => isAskedFor(credit, input), keys), keys)
  })
}

/** Takes an error of one class for an absence. */
function absentWhen(failure: new () => Error): typeof CreditAction {
  return verifying(async (honest, { idempotencyKeys }) => {
    try {
      return await honest()
    } catch (error) {
      if (error instanceof failure) return { status: 'provisional_absence', identity: idempotencyKeys }
      throw error
    }
  })
}

export const verifyingBugs: readonly SeededBug<typeof CreditAction>[] = [
  {
    title: 'finds nothing that is fresh',
    code: 'fresh_effect_not_found',
    subject: verifying(async (_honest, { idempotencyKeys }) => ({
      status: 'provisional_absence',
      identity: idempotencyKeys,
    })),
  },
  {
    title: 'reports as done what was approved',
    code: 'nothing_called_done',
    subject: missing(({ idempotencyKeys: [key = ''], snapshot }) => {
      return foundOf({ id: 'CR-0', key, account: snapshot.account, cents: 1250 }, 1)
    }),
  },
  {
    title: 'reports a refusal that nobody has seen',
    code: 'failure_invented',
    subject: missing(({ idempotencyKeys: [identity = ''] }) => {
      return { status: 'verified_terminal_failure', identity, attempt: 1 }
    }),
  },
  {
    title: 'calls every absence final',
    code: 'absence_called_final',
    subject: missing(({ idempotencyKeys }) => {
      return { status: 'authoritative_final_absence', identity: idempotencyKeys, proof: 'terminal' }
    }),
  },
  {
    title: 'names one of the keys that are absent',
    code: 'absence_not_echoed',
    subject: missing(({ idempotencyKeys }) => {
      return { status: 'provisional_absence', identity: idempotencyKeys.slice(0, 1) }
    }),
  },
  {
    title: 'calls an old look-up final',
    code: 'lag_called_final',
    subject: verifying(async (_honest, { idempotencyKeys }, ledger) => {
      const keys: readonly string[] = idempotencyKeys
      const search = await ledger.find(({ key }) => keys.includes(key), keys)
      return verifiedOf({ ...search, finished: search.finished || search.late }, keys)
    }),
  },
  {
    title: 'echoes its own id instead of the key',
    code: 'identity_not_echoed',
    subject: telling((found) => ({ ...found, identity: found.externalReference ?? '' })),
  },
  {
    title: 'does not say how many it found',
    code: 'matches_missing',
    subject: telling(({ matches: _left, ...found }) => found as Completion),
  },
  {
    title: 'counts from zero',
    code: 'verify_malformed',
    subject: telling((found) => ({ ...found, matches: 0 })),
  },
  {
    title: 'leaves a declared fact out',
    code: 'fact_missing',
    subject: telling((found) => {
      const { '/amount': _left, ...facts } = found.facts
      return { ...found, facts: facts as Completion['facts'] }
    }),
  },
  {
    title: 'returns a fee that nobody approved',
    code: 'fact_not_approved',
    subject: telling((found) => {
      const more = { '/fee': '40.00' }
      return { ...found, facts: { ...found.facts, ...more } }
    }),
  },
  {
    title: 'returns the amount in cents',
    code: 'fact_differs',
    subject: telling((found) => ({ ...found, facts: { ...found.facts, '/amount': 1250 } })),
  },
  {
    title: 'returns as facts what was approved',
    code: 'facts_not_of_target',
    subject: telling((found, { snapshot }) => ({
      ...found,
      facts: { '/account': snapshot.account, '/amount': snapshot.amount },
    })),
  },
  {
    title: 'compares facts and finds them always equal',
    code: 'facts_not_compared',
    subject: class extends CreditAction {
      override compareFacts(): boolean {
        return true
      }
    },
  },
  {
    title: 'finds by the beginning of the key',
    code: 'foreign_effect_claimed',
    subject: lookingFor(({ key }, { idempotencyKeys }) => idempotencyKeys.some((asked) => key.startsWith(asked))),
  },
  {
    title: 'finds what the key begins with',
    code: 'foreign_effect_claimed',
    subject: lookingFor(({ key }, { idempotencyKeys }) => idempotencyKeys.some((asked) => asked.startsWith(key))),
  },
  {
    title: 'finds by account',
    code: 'foreign_effect_claimed',
    subject: lookingFor(({ account }, { snapshot }) => account === snapshot.account),
  },
  {
    title: 'looks for the first key only',
    code: 'key_left_out',
    subject: lookingFor(({ key }, { idempotencyKeys }) => key === idempotencyKeys[0]),
  },
  {
    title: 'looks for the last key only',
    code: 'key_left_out',
    subject: lookingFor(({ key }, { idempotencyKeys }) => key === idempotencyKeys.at(-1)),
  },
  {
    title: 'echoes the first key that was asked for',
    code: 'other_key_echoed',
    subject: telling((found, { idempotencyKeys: [identity = ''] }) => ({ ...found, identity })),
  },
  {
    title: 'reports one however many there are',
    code: 'double_reported_as_one',
    subject: telling((found) => ({ ...found, matches: 1 })),
  },
  {
    title: 'calls an outage an absence',
    code: 'outage_called_absence',
    subject: absentWhen(LedgerUnreachable),
  },
  {
    title: 'calls an answer that was cut off an absence',
    code: 'truncated_called_absence',
    subject: absentWhen(AnswerCutOff),
  },
  {
    title: 'marks what it has looked at',
    code: 'verify_writes',
    subject: verifying(async (honest, _input, ledger) => {
      await ledger.touch()
      return honest()
    }),
  },
]
