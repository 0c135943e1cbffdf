// Loads a part of `serve`; a package that is missing ends in one sentence that says what to install.
import { Unavailable } from '../errors.ts'

const MISSING = /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^/']+)/

/** What was loaded. @throws Unavailable, naming the package that is not installed */
export async function needed<Part>(loading: () => Promise<Part>): Promise<Part> {
  try {
    return await loading()
  } catch (cause) {
    const name = cause instanceof Error ? MISSING.exec(cause.message)?.[1] : undefined
    if (name === undefined) throw cause
    throw new Unavailable(`"countersign serve" needs the package ${name}: npm install ${name}.`, { cause })
  }
}
