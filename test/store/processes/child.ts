// Starts a program of this folder as a process of its own, and speaks to it line by line.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** Who owns nothing, on every system that has one. */
const NOBODY = 65_534

/** A program under way. */
export interface Child {
  readonly process: ChildProcess
  /** The next line that it prints; null once it has ended. */
  readonly line: () => Promise<string | null>
  /** Everything that it prints from here to its end. */
  readonly rest: () => Promise<readonly string[]>
  readonly say: (line: string) => void
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

/** How a program is started. */
export interface ChildOptions {
  /** Options of Node, before the program. */
  readonly node?: readonly string[]
  /** As a user who may write nothing; only root can start one. */
  readonly asNobody?: boolean
}

/** Starts a program with arguments. */
export function startChild(program: URL, args: readonly string[], options: ChildOptions = {}): Child {
  const file = fileURLToPath(program)
  const child = spawn(process.execPath, ['--conditions=countersign-source', ...(options.node ?? []), file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(options.asNobody === true ? { uid: NOBODY, gid: NOBODY } : {}),
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const line = async (): Promise<string | null> => {
    const { value, done } = await lines.next()
    return done === true ? null : value
  }
  return {
    process: child,
    line,
    async rest() {
      const rest: string[] = []
      for (let next = await line(); next !== null; next = await line()) rest.push(next)
      return rest
    },
    say: (text) => child.stdin.write(`${text}\n`),
    exited,
  }
}

/** Lets programs go at once that have all said that they are ready. */
export async function startTogether(children: readonly Child[]): Promise<void> {
  for (const child of children) {
    const line = await child.line()
    if (line !== 'ready') throw new Error(`A child said ${line} and not that it is ready`)
  }
  for (const child of children) child.say('go')
}
