// Seeded bugs in adapters of a provider: keys that change, declarations that are not true, absences that nobody saw.
import type { Looked, ProviderCall, ProviderDeclaration, Sent } from '../../../src/testing.ts'
import { type Charge, type ChargeBody, ConnectionRefused, ConnectionReset, DAY_MS, LAG_MS } from '../kits/till.ts'
import { TillAdapter } from '../kits/till-adapter.ts'
import type { SeededBug } from './seeded-bug.ts'

type Call = ProviderCall<ChargeBody>

/** An adapter that declares something else. */
function declaring(change: Partial<ProviderDeclaration>): typeof TillAdapter {
  return class extends TillAdapter {
    override get declares(): ProviderDeclaration {
      return { ...super.declares, ...change }
    }
  }
}

/** An adapter that sends in another way; `honest` is the correct one. */
function sending(
  send: (honest: (call: Call) => Promise<Sent>, call: Call, adapter: TillAdapter) => Promise<Sent>,
): typeof TillAdapter {
  return class extends TillAdapter {
    override async send(call: Call): Promise<Sent> {
      return send(async (altered) => super.send(altered), call, this)
    }
  }
}

/** An adapter that finds in another way. */
function finding(
  find: (honest: (key: string) => Promise<Looked>, key: string, adapter: TillAdapter) => Promise<Looked>,
): typeof TillAdapter {
  return class extends TillAdapter {
    override async find(key: string): Promise<Looked> {
      return find(async (altered) => super.find(altered), key, this)
    }
  }
}

let serial = 0
function another(key: string): string {
  serial += 1
  return `${key}-${serial}`
}

export const providerBugs: readonly SeededBug<typeof TillAdapter>[] = [
  { title: 'declares no life span of keys', code: 'not_declared', subject: declaring({ keyLifetimeMs: Number.NaN }) },
  {
    title: 'declares keys to live for two days',
    code: 'key_lifetime_overstated',
    subject: declaring({ keyLifetimeMs: 2 * DAY_MS }),
  },
  {
    title: 'declares one key for all accounts',
    code: 'account_scope_misdeclared',
    subject: declaring({ keyScope: { perAccount: false, perEndpoint: false } }),
  },
  {
    title: 'declares a key for each endpoint',
    code: 'endpoint_scope_misdeclared',
    subject: declaring({ keyScope: { perAccount: true, perEndpoint: true } }),
  },
  { title: 'declares no lag', code: 'fresh_not_found', subject: declaring({ settleMs: LAG_MS - 1 }) },
  {
    title: 'accepts and sends nothing',
    code: 'accepted_without_effect',
    subject: sending(async () => ({ kind: 'accepted', id: 'ch_1' })),
  },
  { title: 'sends nothing at all', code: 'not_accepted', subject: sending(async () => ({ kind: 'unknown' })) },
  {
    title: 'answers an id of its own',
    code: 'other_id_answered',
    subject: sending(async (honest, call) => {
      const sent = await honest(call)
      return sent.kind === 'accepted' ? { kind: 'accepted', id: `local-${sent.id}` } : sent
    }),
  },
  {
    title: 'sends a replay as a new request of the same key in another account',
    code: 'same_key_doubled',
    subject: class extends TillAdapter {
      readonly #sent = new Set<string>()
      override async send(call: Call): Promise<Sent> {
        const account = this.#sent.has(call.key) ? { account: 'account-b' } : {}
        this.#sent.add(call.key)
        return super.send({ ...account, ...call })
      }
    },
  },
  {
    title: 'calls a replay unknown',
    code: 'replay_differs',
    subject: class extends TillAdapter {
      readonly #sent = new Set<string>()
      override async send(call: Call): Promise<Sent> {
        const isReplay = this.#sent.has(call.key)
        this.#sent.add(call.key)
        const sent = await super.send(call)
        return isReplay && sent.kind === 'accepted' ? { kind: 'unknown' } : sent
      }
    },
  },
  {
    title: 'calls a key that is in use a success',
    code: 'other_body_accepted',
    subject: class extends TillAdapter {
      override refusal(status: number): Sent {
        return status === 422 ? { kind: 'accepted', id: 'ch_1' } : super.refusal(status)
      }
    },
  },
  {
    title: 'sends another body in another account',
    code: 'other_body_doubled',
    subject: class extends TillAdapter {
      override async send(call: Call): Promise<Sent> {
        return super.send(call.body.cents === 2500 ? call : { ...call, account: 'account-b' })
      }
    },
  },
  {
    title: 'spreads its load over accounts',
    code: 'raced',
    subject: class extends TillAdapter {
      #underWay = 0
      override async send(call: Call): Promise<Sent> {
        this.#underWay += 1
        const account = this.#underWay > 1 ? { account: 'account-b' } : {}
        const sent = await super.send({ ...account, ...call })
        this.#underWay -= 1
        return sent
      }
    },
  },
  {
    title: 'answers a replay after a failure from memory',
    code: 'replay_untrue',
    subject: class extends TillAdapter {
      readonly #failed = new Set<string>()
      override async send(call: Call): Promise<Sent> {
        if (this.#failed.has(call.key)) return { kind: 'accepted', id: 'ch_1' }
        const sent = await this.once(call, 0)
        if (sent.kind === 'unknown') this.#failed.add(call.key)
        return sent
      }
    },
  },
  {
    title: 'calls a lost request accepted',
    code: 'lost_request_accepted',
    subject: class extends TillAdapter {
      override async send(call: Call): Promise<Sent> {
        const sent = await this.once(call, 0)
        const isLost = sent.kind === 'unknown' && (await this.till.effects(call.key)).length === 0
        return isLost ? { kind: 'accepted', id: 'ch_0' } : sent
      }
    },
  },
  {
    title: 'makes an id up where the answer was lost',
    code: 'id_made_up',
    subject: class extends TillAdapter {
      override async send(call: Call): Promise<Sent> {
        const before = (await this.till.effects(call.key)).length
        const sent = await this.once(call, 0)
        const isNew = before === 0 && (await this.till.effects(call.key)).length > 0
        return isNew && sent.kind === 'unknown' ? { kind: 'accepted', id: `ch_of_${call.key}` } : sent
      }
    },
  },
  {
    title: 'calls a lost answer refused',
    code: 'lost_answer_denied',
    subject: class extends TillAdapter {
      override async send(call: Call): Promise<Sent> {
        return this.once(call, 0)
      }
      override failure(error: unknown): Sent {
        const isReset = error instanceof ConnectionReset && error.message === 'socket hang up'
        return isReset ? { kind: 'refused' } : super.failure(error)
      }
    },
  },
  {
    title: 'tries again under a new key',
    code: 'key_changed_on_retry',
    subject: class extends TillAdapter {
      override async once(call: Call, tried: number): Promise<Sent> {
        const isLost = (await this.till.effects(call.key)).length === 0
        return super.once(tried > 0 && isLost ? { ...call, key: another(call.key) } : call, tried)
      }
    },
  },
  ...[409, 425, 429, 500, 503].map((code): SeededBug<typeof TillAdapter> => {
    return {
      title: `calls the status ${code} a refusal`,
      code: 'ambiguous_called_definite',
      subject: class extends TillAdapter {
        override refusal(status: number): Sent {
          return status === code ? { kind: 'refused' } : super.refusal(status)
        }
      },
    }
  }),
  {
    title: 'calls a refusal unknown',
    code: 'refusal_not_told',
    subject: class extends TillAdapter {
      override refusal(): Sent {
        return { kind: 'unknown' }
      }
    },
  },
  {
    title: 'calls a connection that was refused unknown',
    code: 'never_sent_not_told',
    subject: class extends TillAdapter {
      override failure(error: unknown): Sent {
        return error instanceof ConnectionRefused ? { kind: 'unknown' } : super.failure(error)
      }
    },
  },
  {
    title: 'finds under an id of its own',
    code: 'other_id_found',
    subject: finding(async (honest, key) => {
      const looked = await honest(key)
      return looked.kind === 'found' ? { ...looked, ids: looked.ids.map((id) => `local-${id}`) } : looked
    }),
  },
  {
    title: 'echoes an id instead of the key',
    code: 'key_not_echoed',
    subject: finding(async (honest, key) => {
      const looked = await honest(key)
      return looked.kind === 'found' ? { ...looked, key: looked.ids[0] ?? '' } : looked
    }),
  },
  {
    title: 'finds what the key begins with',
    code: 'foreign_effect_found',
    subject: class extends TillAdapter {
      override isAskedFor(charge: Charge, key: string): boolean {
        return key.startsWith(charge.key)
      }
    },
  },
  {
    title: 'finds by the beginning of a key',
    code: 'foreign_effect_found',
    subject: class extends TillAdapter {
      override isAskedFor(charge: Charge, key: string): boolean {
        return charge.key.startsWith(key)
      }
    },
  },
  {
    title: 'counts what was sent as found',
    code: 'refusal_found',
    subject: class extends TillAdapter {
      readonly #sent = new Set<string>()
      override async send(call: Call): Promise<Sent> {
        this.#sent.add(call.key)
        return super.send(call)
      }
      override told(key: string, charges: readonly Charge[]): Looked {
        const looked = super.told(key, charges)
        return looked.kind === 'absent' && this.#sent.has(key) ? { kind: 'found', key, ids: [] } : looked
      }
    },
  },
  {
    title: 'reads the first page',
    code: 'page_missed',
    subject: class extends TillAdapter {
      override async all(): Promise<readonly Charge[] | null> {
        const { status, items, total } = await this.till.list(0)
        return status === 200 && (items.length === total || items.length > 1) ? items : null
      }
    },
  },
  {
    title: 'reports the first of two',
    code: 'double_reported_as_one',
    subject: class extends TillAdapter {
      override told(key: string, charges: readonly Charge[]): Looked {
        return super.told(key, charges.slice(0, 1))
      }
    },
  },
  {
    title: 'calls an outage an absence',
    code: 'outage_called_absent',
    subject: class extends TillAdapter {
      override async find(key: string): Promise<Looked> {
        const isDown = await this.all().then(
          () => false,
          () => true,
        )
        return isDown ? { kind: 'absent' } : super.find(key)
      }
    },
  },
  {
    title: 'takes an answer for a list whatever its status',
    code: 'credentials_called_absent',
    subject: class extends TillAdapter {
      override async find(key: string): Promise<Looked> {
        const page = await this.till.list(0).catch(() => null)
        return page?.status === 401 ? { kind: 'absent' } : super.find(key)
      }
    },
  },
  {
    title: 'does not count what a page should hold',
    code: 'truncation_called_absent',
    subject: class extends TillAdapter {
      override async all(): Promise<readonly Charge[] | null> {
        const charges: Charge[] = []
        for (let from: number | null = 0; from !== null; ) {
          const page = await this.till.list(from)
          if (page.status !== 200) return null
          charges.push(...page.items)
          from = page.next
        }
        return charges
      }
    },
  },
  {
    title: 'looks without a positive control',
    code: 'blindness_called_absent',
    subject: class extends TillAdapter {
      override canSee(): boolean {
        return true
      }
    },
  },
  {
    title: 'marks what it has looked at',
    code: 'find_writes',
    subject: finding(async (honest, key, { till }) => {
      await till.touch()
      return honest(key)
    }),
  },
]
