// The campaigns are run by hand; what they rest on is kept true here.
import { describe, expect, it } from 'vitest'
import { readRepositoryFile } from '../tools/repository.ts'
import { seededBugs, withBug } from './campaigns/seeded-bug.ts'

describe('the list of seeded bugs', () => {
  it.each(seededBugs())('fits the sources as they are: $bug', (bug) => {
    for (const { file, text } of withBug(bug, readRepositoryFile)) expect(text).not.toBe(readRepositoryFile(file))
  })
})
