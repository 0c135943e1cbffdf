// The lifecycle as one table: every command with its pure function; the prose of the statuses stands in ../status.ts.
import { approve, lapse, reject, restore, revokeApproval } from './decide.ts'
import { erase } from './erase.ts'
import { admit, beginExecution, block, refuseDrift, supersede } from './execute.ts'
import { followEvidence } from './follow-evidence.ts'
import { giveUp, observe, resume, settle } from './operate.ts'
import { settleCall } from './settle-call.ts'
import { expire } from './time.ts'
import { replace, withdraw } from './withdraw.ts'

/**
 * Each function takes the proposal, its command (with the effect where the command is about one) and the time, and
 * answers a move, an outcome or a refusal. None awaits, none reads a clock; the runtime says in which order they are
 * asked, and a store guards what they decide. Spec: lifecycle 2.
 */
export const lifecycle = {
  approve,
  reject,
  revokeApproval,
  lapse,
  restore,
  withdraw,
  replace,
  expire,
  beginExecution,
  block,
  refuseDrift,
  supersede,
  admit,
  settleCall,
  followEvidence,
  giveUp,
  resume,
  settle,
  observe,
  erase,
} as const
