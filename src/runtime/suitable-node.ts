// The Node that this needs: an older one is told in a sentence, before it fails at something that it lacks.

const NEEDED = { major: 22, minor: 18 }

/** @throws Error for a version of Node that is too old. */
export function assertSuitableNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) return
  throw new Error(`Countersign needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is Node ${version}.`)
}
