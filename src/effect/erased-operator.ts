// What stands in a settlement for an operator whose name has been erased.

/**
 * Once every proposal behind an effect has been erased, nobody is named in its settlement any more; that there was a
 * second operator is still told. No principal has this name, so nobody is taken for the one that is gone.
 * Spec: policy-and-protection 5.
 */
export const ERASED_OPERATOR = 'erased'
