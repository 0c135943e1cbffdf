// A run that begins minutes later, when no lease of before is live any more and nothing can be on its way.
import { join } from 'node:path'
import { repositoryRoot } from '../../tools/repository.ts'

export const LATER = { main: join(repositoryRoot, 'test/cli/serve-later.ts'), aheadMs: 300_000 } as const
