// Packs the package, puts it into a project of its own as a user would, and there compiles and runs the quickstart and the command.
import { execFileSync } from 'node:child_process'
import { accessSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRepositoryFile, repositoryRoot } from './repository.ts'

const project = mkdtempSync(join(tmpdir(), 'countersign-package-'))
process.on('exit', () => {
  rmSync(project, { recursive: true, force: true })
})

const manifest = JSON.parse(readRepositoryFile('package.json')) as {
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
}
// All that a user has beside it. They are copied: behind a link the compiler would find what else this repository has.
const neighbours = [
  ...Object.keys(manifest.dependencies),
  ...Object.keys(manifest.peerDependencies),
  '@types/node',
  'undici-types',
]
const compilerOptions = {
  target: 'es2024',
  lib: ['es2024'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  allowImportingTsExtensions: true,
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: project, stdio: ['ignore', 'inherit', 'inherit'] })
}

function bring(name: string): void {
  cpSync(join(repositoryRoot, 'node_modules', name), join(project, 'node_modules', name), { recursive: true })
}

function compile(config: string, include: readonly string[], options: typeof compilerOptions): void {
  writeFileSync(join(project, config), JSON.stringify({ compilerOptions: options, include, exclude: [] }))
  run(process.execPath, join(repositoryRoot, 'node_modules/typescript/bin/tsc'), '-p', config)
}

execFileSync('npm', ['pack', '--silent', '--pack-destination', project], { cwd: repositoryRoot, stdio: 'ignore' })
const { version } = JSON.parse(readRepositoryFile('package.json')) as { version: string }
run('tar', '-xzf', `countersign-${version}.tgz`)
mkdirSync(join(project, 'node_modules'))
renameSync(join(project, 'package'), join(project, 'node_modules/countersign'))
for (const name of neighbours) bring(name)

cpSync(join(repositoryRoot, 'examples/docs'), project, { recursive: true })
writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
// Every declaration that is shipped, and all that these name.
compile('declarations.json', ['node_modules/countersign/dist/**/*.d.ts'], compilerOptions)
// An example asks SQLite itself, and says so in its types; the declarations of the package must do without.
bring('@types/better-sqlite3')
// What an example uses beside the package may have declarations that want more: the adapter of Hono names what browsers have.
compile('examples.json', ['**/*.ts'], { ...compilerOptions, skipLibCheck: true })
run(process.execPath, 'quickstart.ts')
// The files that the pages of the inbox load are beside the built sources.
for (const name of ['inbox.css', 'inbox.js', 'inbox.svg']) {
  accessSync(join(project, 'node_modules/countersign/dist/http/inbox/assets', name))
}
for (const args of [
  ['keys', 'new', 'packed.keys'],
  ['migrate', '--db', 'packed.db'],
  ['doctor', '--db', 'packed.db', '--keys', 'packed.keys'],
]) {
  run(process.execPath, 'node_modules/countersign/dist/cli/main.js', ...args)
}
