// Removes the last build, so that no file of a renamed source is published.
import { rmSync } from 'node:fs'
import { repositoryRoot } from './repository.ts'

rmSync(`${repositoryRoot}dist`, { recursive: true, force: true })
