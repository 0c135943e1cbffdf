// Loads a part of `serve`; packages that are missing end in one sentence that says what to install, all at once.
import { Unavailable } from '../errors.ts'

/** What `serve` cannot do without, and the library can. */
const PACKAGES = ['@hono/node-server', 'better-sqlite3', 'hono', 'hono-openapi', 'pino', 'prom-client']

const MISSING = /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^/']+)/

/** What was loaded. @throws Unavailable, naming every package that is not installed */
export async function needed<Part>(loading: () => Promise<Part>): Promise<Part> {
  try {
    return await loading()
  } catch (cause) {
    const name = missingPackage(cause)
    if (name === null) throw cause
    const names = [name, ...PACKAGES.filter((other) => other !== name && !isInstalled(other))].join(' ')
    throw new Unavailable(`"countersign serve" needs what is not installed: npm install ${names}.`, { cause })
  }
}

/** What the module loader said first, whoever has put it into other words since. */
function missingPackage(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  return MISSING.exec(error.message)?.[1] ?? missingPackage(error.cause)
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}
