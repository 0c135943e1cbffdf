// Makes the built command executable, as its installation does: a clone runs it with npx right from the build.
import { chmodSync } from 'node:fs'
import { readRepositoryFile, repositoryRoot } from './repository.ts'

const { bin } = JSON.parse(readRepositoryFile('package.json')) as { bin: Readonly<Record<string, string>> }
for (const path of Object.values(bin)) chmodSync(`${repositoryRoot}${path}`, 0o755)
