// Loads a part of `serve`; a package that is missing ends in one sentence that says what to install.
import { Unavailable } from '../errors.ts'

const MISSING = /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^/']+)/

/** What was loaded. @throws Unavailable, naming the package that is not installed */
export async function needed<Part>(loading: () => Promise<Part>): Promise<Part> {
  try {
    return await loading()
  } catch (cause) {
    const name = missingPackage(cause)
    if (name === null) throw cause
    throw new Unavailable(`"countersign serve" needs the package ${name}: npm install ${name}.`, { cause })
  }
}

/** What the module loader said first, whoever has put it into other words since. */
function missingPackage(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  return MISSING.exec(error.message)?.[1] ?? missingPackage(error.cause)
}
