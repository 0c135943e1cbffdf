// Says whether strace is on this machine and may watch a process, for the tests that kill at calls of the system.
import { spawnSync } from 'node:child_process'

export function hasStrace(): boolean {
  return spawnSync('strace', ['-qq', '-o', '/dev/null', '-e', 'trace=none', 'true']).status === 0
}
