// The signals that stop a server: the first asks it to finish, the second ends the process where it stands.
import process from 'node:process'

const NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const
/** How a shell reports a process that was ended by a signal. */
const BY_SIGNAL = 128

/** Resolves at the first signal. From then on another one ends the process at once; the store needs no farewell. */
export async function firstStopSignal(): Promise<keyof typeof NUMBERS> {
  return new Promise((resolve) => {
    let isStopping = false
    const stop = (signal: keyof typeof NUMBERS): void => {
      if (isStopping) process.exit(BY_SIGNAL + NUMBERS[signal])
      isStopping = true
      resolve(signal)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}
