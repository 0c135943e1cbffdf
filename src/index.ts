// The front door: what a host imports to define, propose, approve and release actions.
export { limits } from './effect/limits.ts'
