// The client of the command line: its address and its token are taken from the environment, and from nowhere else.
import { CountersignClient } from '../../http/client/client.ts'
import { environment, URL_DEFAULT } from '../environment.ts'
import { UsageError } from '../errors.ts'

/** Arguments are seen by every process of the machine and kept by the shell; so no token is ever one. @throws UsageError */
export function connect(): CountersignClient {
  const token = environment('COUNTERSIGN_TOKEN')
  if (token === null) throw new UsageError('COUNTERSIGN_TOKEN must hold your token.')
  if (!/^[!-~]+$/.test(token)) throw new UsageError('COUNTERSIGN_TOKEN must be of visible characters.')
  try {
    return new CountersignClient({ url: environment('COUNTERSIGN_URL') ?? URL_DEFAULT, token })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(`COUNTERSIGN_URL cannot be used. ${error.message}`)
  }
}
