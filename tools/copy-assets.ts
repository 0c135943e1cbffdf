// Puts the files that pages load beside the built sources: the compiler copies none that it does not compile.
import { cpSync } from 'node:fs'
import { repositoryRoot } from './repository.ts'

const ASSETS = 'http/inbox/assets'

cpSync(`${repositoryRoot}src/${ASSETS}`, `${repositoryRoot}dist/${ASSETS}`, { recursive: true })
