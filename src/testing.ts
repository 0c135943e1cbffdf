// The testing door: what makes an action or a store fail on purpose.
export {}
