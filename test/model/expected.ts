// The simple model: what is expected of proposals as long as nothing has touched their effect and nothing went wrong.
import { canRead, hasRole, isAgent, ownerOf, type Person } from './cast.ts'
import { nameOf } from './effect-name.ts'
import { ExpectedClock } from './expected-clock.ts'
import {
  type ExpectedProposal,
  expectedAt,
  isMet,
  isOpen,
  outcomeOf,
  standing,
  unknown,
  type Vote,
} from './expected-proposal.ts'
import { approversOf, type Profile } from './payment.ts'
import type { Run } from './run.ts'
import type { CallScript, ResolveScript } from './scripts.ts'
import type { Business } from './target.ts'
import type { World } from './world.ts'

interface Prepare {
  readonly by: Person
  readonly intent: number
  readonly amount: number
  readonly action: number
  readonly requestKey: string | null
  readonly replaces: number | null
}

interface About {
  readonly which: number
  readonly by: Person
}

/** What the model expects, and how it follows what was done. Times are those of the wall clock. */
export class Expected {
  readonly proposals: ExpectedProposal[] = []
  readonly #profile: Profile
  readonly #barred = new Set<Person>()
  /** By requester and key: the proposal, and what was asked for. */
  readonly #keys = new Map<string, { readonly ref: string; readonly command: string }>()
  #isDirectoryDown = false
  readonly clock: ExpectedClock
  #business: Pick<Business, 'version' | 'isGone'>
  /** A fault of the store is to come, or an operation waits: then nothing is certain. */
  #isShaky = false
  /** An attacker has made the row of an effect unreadable. */
  #isUnreadable = false
  /** Whether any effect has been attempted, and which. */
  #touched = new Set<string>()
  readonly #enforcesPrecondition: boolean

  constructor(world: World) {
    this.#profile = world.profile
    this.clock = new ExpectedClock(world.clock.now())
    this.#business = { ...world.around.business }
    this.#enforcesPrecondition = world.setting.enforcesPrecondition
  }

  prepare({ by, intent, amount, action, requestKey, replaces }: Prepare): readonly string[] | null {
    if (!hasRole(by, 'support')) return ['refused not_permitted']
    if (this.#isShaky || this.#isUnreadable || replaces !== null) return null
    const known = requestKey === null ? undefined : this.#keys.get(`${by} ${requestKey}`)
    if (known !== undefined) {
      const first = this.proposals.find(({ ref }) => ref === known.ref)
      if (first?.isSure !== true) return null
      if (first.isErased) return ['refused not_found']
      return [
        known.command === commandOf(this.#profile, { intent, amount, action })
          ? 'replayed'
          : 'refused request_key_reused',
      ]
    }
    return this.#touched.size > 0
      ? ['prepared', 'replayed', 'conflict', 'refused effect_already_completed']
      : ['prepared']
  }

  prepared({ by, intent, amount, action, requestKey, replaces }: Prepare, outcome: string): void {
    const replaced = replaces === null ? null : this.#at(replaces)
    if (replaced !== null) replaced.isSure = false
    if (!outcome.startsWith('prepared')) return
    const { proposal: ref } = JSON.parse(outcome.slice('prepared '.length)) as { readonly proposal: string }
    const proposal = expectedAt(this.clock.now, { ref, by, amount, version: this.#business.version })
    this.proposals.push({ ...proposal, isSure: replaced === null })
    if (requestKey !== null) {
      this.#keys.set(`${by} ${requestKey}`, { ref, command: commandOf(this.#profile, { intent, amount, action }) })
    }
  }

  approve({ which, by, isOther }: About & { readonly isOther: boolean }): readonly string[] | null {
    const proposal = this.#known(which)
    if (proposal === null) return null
    const barred = this.#decisionBar(proposal, by) ?? this.#closed(proposal)
    if (barred !== null) return [barred]
    if (isOther) return ['refused binding_mismatch']
    if (standing(proposal, this.clock.now).some((vote) => vote.by === by)) return ['replayed']
    const votes = [...proposal.votes, this.#vote(proposal, by)]
    return [this.#isMet({ ...proposal, votes }) ? 'approved' : 'approval_pending']
  }

  approved({ which, by }: About, outcome: string): void {
    const proposal = this.#at(which)
    if (proposal === null) return
    if (outcome.startsWith('approved') || outcome.startsWith('approval_pending')) {
      proposal.votes.push(this.#vote(proposal, by))
      proposal.status = this.#isMet(proposal) ? 'approved' : 'awaiting_approval'
    }
    if (outcome.startsWith('expired')) proposal.status = 'expired'
  }

  /** Everybody whose approval is asked for gives it, each answered as they would be by themselves. */
  authorised(which: number): void {
    const proposal = this.#at(which)
    if (proposal === null || !proposal.isSure) return
    for (const by of approversOf(this.#profile, proposal.amount)) {
      const [outcome = ''] = this.approve({ which, by, isOther: false }) ?? []
      this.approved({ which, by }, outcome)
    }
  }

  reject({ which, by }: About): readonly string[] | null {
    const proposal = this.#known(which)
    if (proposal === null) return null
    return [this.#decisionBar(proposal, by) ?? this.#closed(proposal) ?? 'rejected']
  }

  rejected({ which }: About, outcome: string): void {
    this.#closedAs(which, outcome, 'rejected')
  }

  revoke({ which, by, isOwn }: About & { readonly isOwn: boolean }): readonly string[] | null {
    const proposal = this.#known(which)
    const vote = proposal?.votes.findLast((one) => (one.by === by) === isOwn)
    if (proposal === null) return null
    if (vote === undefined) return ['nothing']
    if (proposal.isErased || vote.by !== by) return ['refused not_found']
    const closed = this.#closed(proposal)
    if (closed !== null) return [closed]
    if (vote.isRevoked) return ['replayed']
    return [this.clock.now >= vote.until ? 'conflict' : 'revoked']
  }

  revoked({ which, by, isOwn }: About & { readonly isOwn: boolean }, outcome: string): void {
    const proposal = this.#at(which)
    const vote = proposal?.votes.findLast((one) => (one.by === by) === isOwn)
    if (proposal === null) return
    if (outcome.startsWith('expired')) proposal.status = 'expired'
    if (!outcome.startsWith('revoked') || vote === undefined) return
    vote.isRevoked = true
    if (!this.#isMet(proposal)) proposal.status = 'awaiting_approval'
  }

  withdraw({ which, by }: About): readonly string[] | null {
    const proposal = this.#known(which)
    if (proposal === null) return null
    if (proposal.isErased || !canRead(by)) return ['refused not_found']
    const mayTake = proposal.by === by || hasRole(by, 'operator')
    if (!mayTake) return ['refused not_permitted']
    return [this.#closed(proposal) ?? 'withdrawn']
  }

  withdrawn({ which }: About, outcome: string): void {
    this.#closedAs(which, outcome, 'withdrawn')
  }

  execute(
    args: About & { readonly call: CallScript; readonly resolve: ResolveScript; readonly reconcile: boolean },
  ): readonly string[] | null {
    const proposal = this.#known(args.which)
    if (proposal === null) return null
    const { by, resolve, reconcile } = args
    if (proposal.isErased || !canRead(by)) return ['refused not_found']
    if (!hasRole(by, 'support') && !hasRole(by, 'executor')) return ['refused not_permitted']
    const closed = this.#closed(proposal)
    if (closed !== null) return [closed]
    if (!this.#isMet(proposal)) return ['approval_pending']
    if (!this.clock.isBelieved) return ['blocked']
    if (resolve === 'hanging' || resolve === 'slow') return ['pending']
    if (resolve === 'threw') return ['blocked']
    const { version, isGone } = this.#business
    if (version !== proposal.version || isGone || resolve === 'reports_drift') return ['stale']
    if (this.#isDirectoryDown) return ['blocked']
    const votes = proposal.votes.filter((vote) => !this.#barred.has(vote.by))
    if (!this.#isMet({ ...proposal, votes })) return ['blocked']
    // What is in doubt elsewhere may hold it back.
    if (this.#touched.size > 0 || reconcile) return null
    return [this.#called(args)]
  }

  executed({ which }: About, outcome: string): void {
    const proposal = this.#at(which)
    if (proposal === null) return
    if (outcome.startsWith('expired')) proposal.status = 'expired'
    if (outcome.startsWith('stale')) proposal.status = 'stale'
    if (outcome.startsWith('blocked')) proposal.status = 'approved'
    if (outcome.startsWith('approval_pending')) proposal.status = 'awaiting_approval'
  }

  reconcile({ which, by }: About): readonly string[] | null {
    const proposal = this.#known(which)
    if (proposal === null) return null
    if (proposal.isErased || !canRead(by)) return ['refused not_found']
    if (!['executor', 'operator', 'support'].some((role) => hasRole(by, role))) return ['refused not_permitted']
    return [outcomeOf(proposal.status)]
  }

  expiredDue({ by }: { readonly by: Person }, outcome: string): void {
    if (this.#isShaky) return
    const told = /expired: (.*)/u.exec(outcome)?.[1]?.split(',') ?? []
    for (const proposal of this.proposals) {
      if (!proposal.isSure || proposal.isErased) continue
      const isDue =
        isOpen(proposal) && this.clock.now >= proposal.expiresAt && hasRole(by, 'executor') && this.clock.isBelieved
      if (told.includes(proposal.ref) !== isDue)
        throw new Error(`${proposal.ref} is ${isDue ? '' : 'not '}due to expire`)
      if (isDue) proposal.status = 'expired'
    }
  }

  erased(which: number, outcome: string): void {
    const proposal = this.#at(which)
    if (proposal === null || !outcome.startsWith('erased')) return
    proposal.isErased = true
    if (isOpen(proposal)) proposal.status = 'withdrawn'
  }

  directory(change: { readonly bars: Person } | { readonly isDown: boolean } | { readonly forgives: boolean }): void {
    if ('bars' in change) this.#barred.add(change.bars)
    else if ('isDown' in change) this.#isDirectoryDown = change.isDown
    else this.#barred.clear()
  }

  /** The model knows no more about this proposal. */
  doubt(which: number): void {
    const proposal = this.#at(which)
    if (proposal !== null) proposal.isSure = false
  }

  /** Compares what is expected with what is stored, and learns what has gone beyond the model. */
  follow({ world }: Run): void {
    if (world.clock.now() !== this.clock.now) throw new Error('the model and the world disagree about the time')
    this.#business = { ...world.around.business }
    const wasShaky = this.#isShaky
    this.#isShaky = world.isBusy || world.faults.isAhead
    this.#isUnreadable = world.corrupt.size > 0
    const attempted = [...world.book.effects.values()].filter(({ attempts }) => attempts.length > 0)
    this.#touched = new Set(attempted.map(({ key }) => nameOf(key)))
    for (const ref of world.refs) if (!this.proposals.some((one) => one.ref === ref)) this.proposals.push(unknown(ref))
    for (const proposal of this.proposals) {
      const held = world.book.proposals.get(proposal.ref)
      if (held === undefined) throw new Error(`${proposal.ref} was never stored`)
      if (wasShaky || this.#isShaky || this.#touched.has(nameOf(held.proposal.effect))) proposal.isSure = false
      if (proposal.isSure && held.proposal.status !== proposal.status) {
        throw new Error(`${proposal.ref} was to be ${proposal.status} and is ${held.proposal.status}`)
      }
    }
  }

  #called({ call, resolve }: { readonly call: CallScript; readonly resolve: ResolveScript }): string {
    const { says, saysAfterMs, landsAfterMs } = call
    if (saysAfterMs !== 0) return 'pending'
    switch (says) {
      case 'accepted':
        return resolve === 'overtaken' && this.#enforcesPrecondition && landsAfterMs === 0
          ? 'stale'
          : 'verification_pending'
      case 'threw':
      case 'failed_unknown':
      case 'garbage':
      case 'not_sent_after_sending':
        return 'failed_unknown'
      case 'failed_known':
      case 'definitive':
        return landsAfterMs === null ? 'failed_known' : 'failed_unknown'
      case 'not_sent':
        return landsAfterMs === null ? 'approved' : 'failed_unknown'
    }
  }

  // In the order of the lifecycle: who may not is told before anything else.
  #decisionBar(proposal: ExpectedProposal, by: Person): string | null {
    if (proposal.isErased || !canRead(by)) return 'refused not_found'
    if (isAgent(by)) return 'refused agent_cannot_decide'
    const excluded = [proposal.by, proposal.by === null ? null : ownerOf(proposal.by)]
    if (excluded.includes(by)) return 'refused separation_of_duties'
    if (this.#isDirectoryDown) return 'refused authorization_unavailable'
    const mayDecide = hasRole(by, 'finance-manager') || hasRole(by, 'director')
    return !mayDecide || this.#barred.has(by) ? 'refused decision_not_permitted' : null
  }

  #closed(proposal: ExpectedProposal): string | null {
    if (!isOpen(proposal)) return outcomeOf(proposal.status)
    return this.clock.now >= proposal.expiresAt ? 'expired' : null
  }

  #closedAs(which: number, outcome: string, status: 'rejected' | 'withdrawn'): void {
    const proposal = this.#at(which)
    if (proposal === null) return
    if (outcome.startsWith('expired')) proposal.status = 'expired'
    if (outcome.startsWith(status)) proposal.status = status
  }

  #vote({ expiresAt }: ExpectedProposal, by: Person): Vote {
    return { by, until: Math.min(this.clock.now + this.#profile.approvalTtlMs, expiresAt), isRevoked: false }
  }

  #isMet(proposal: Pick<ExpectedProposal, 'votes' | 'amount'>): boolean {
    return isMet(this.#profile, proposal, this.clock.now)
  }

  #known(which: number): ExpectedProposal | null {
    const proposal = this.#at(which)
    return proposal?.isSure === true && !this.#isShaky ? proposal : null
  }

  #at(which: number): ExpectedProposal | null {
    return this.proposals.at(-1 - (which % Math.max(1, this.proposals.length))) ?? null
  }
}

function commandOf(
  { contracts }: Profile,
  { intent, amount, action }: Pick<Prepare, 'intent' | 'amount' | 'action'>,
): string {
  return JSON.stringify([contracts[action % contracts.length]?.type, intent, amount])
}
