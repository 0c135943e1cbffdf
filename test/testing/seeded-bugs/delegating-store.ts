// A store that passes every call on, so that a seeded bug has to say only what it does differently.
import type { Store } from '../../../src/runtime/ports.ts'

/** The store with some of its methods replaced. */
export function delegating(store: Store, replaced: Partial<Store>): Store {
  return {
    deliveries: store.deliveries,
    now: () => store.now(),
    commit: (...input) => store.commit(...input),
    proposal: (...input) => store.proposal(...input),
    effect: (...input) => store.effect(...input),
    call: (...input) => store.call(...input),
    callById: (...input) => store.callById(...input),
    attemptDetail: (...input) => store.attemptDetail(...input),
    effectByIdempotencyKey: (...input) => store.effectByIdempotencyKey(...input),
    byRequestKey: (...input) => store.byRequestKey(...input),
    list: (...input) => store.list(...input),
    due: (...input) => store.due(...input),
    erasuresOpen: (...input) => store.erasuresOpen(...input),
    receipts: (...input) => store.receipts(...input),
    events: (...input) => store.events(...input),
    standing: (...input) => store.standing(...input),
    adopt: (...input) => store.adopt(...input),
    restore: () => store.restore(),
    acknowledgeRestore: (...input) => store.acknowledgeRestore(...input),
    erasuresUndone: () => store.erasuresUndone(),
    tenants: () => store.tenants(),
    keysNotUnder: (...input) => store.keysNotUnder(...input),
    rewrap: (...input) => store.rewrap(...input),
    scrub: () => store.scrub(),
    health: () => store.health(),
    close: () => store.close(),
    ...replaced,
  }
}
