// The commands of a shell block, and whether each of them is one that exists.

/** The commands of a block, one each, without prompts, comments and the variables set before them. */
export function commandsOf(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/^\$ /, '').replace(/(?:^|\s)#.*$/, ''))
    .flatMap((line) => line.split(/&&|;|\|/))
    .map((command) => command.trim().replace(/^(?:[A-Z_]+=(?:"[^"]*"|\S+)\s+)+/, ''))
    .filter((command) => command !== '')
}

/** What a command may lean on. */
export interface Known {
  readonly scripts: Readonly<Record<string, string>>
  readonly binaries: readonly string[]
  readonly files: readonly string[]
}

/** Why a command cannot work in a fresh clone; null when it can. */
export function problemWith(command: string, known: Known): string | null {
  const [program = '', ...args] = command.split(/\s+/)
  const plain = args.filter((arg) => !arg.startsWith('-'))
  if (program === 'git' || program === 'cd') return null
  if (program === 'npm') return problemWithNpm(plain, known)
  if (program === 'npx') {
    return known.binaries.includes(plain[0] ?? '') ? missingFile(plain.slice(1), known) : `npx has no ${plain[0]}`
  }
  if (program === 'node') return plain.length === 0 ? 'node is given no file' : missingFile(plain, known)
  return `${program} is not among the commands that the pages may show`
}

function problemWithNpm([verb = '', name]: readonly string[], { scripts }: Known): string | null {
  if (['ci', 'install'].includes(verb)) return null
  const script = verb === 'run' ? name : verb
  return script !== undefined && script in scripts ? null : `package.json has no script ${script}`
}

/** The first argument that looks like a file or folder of the repository and is none; an address is no such thing. */
function missingFile(args: readonly string[], { files }: Known): string | null {
  const paths = args.filter((arg) => !arg.includes('://') && (arg.includes('/') || arg.endsWith('.ts')))
  const missing = paths.find((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)))
  return missing === undefined ? null : `there is no ${missing}`
}
