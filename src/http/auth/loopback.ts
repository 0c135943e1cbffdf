// Which addresses only this machine can reach.

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/

/** Whether a server that listens on this host name or address can be reached from this machine only. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address)
}
