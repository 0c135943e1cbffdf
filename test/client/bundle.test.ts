// What the client's door leads to: nothing of a server, and no module of Node, so that it runs in a browser too.
import { expect, it } from 'vitest'
import { importedPath, parseFile } from '../../tools/parsed-file.ts'
import { readRepositoryFile } from '../../tools/repository.ts'

it('the client brings zod and no other package, and no room but those of the pure and its own', () => {
  const packages = new Set<string>()
  const files = new Set<string>()
  const open = ['src/client.ts']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (files.has(path)) continue
    files.add(path)
    for (const { specifier, kind } of parseFile(path, readRepositoryFile(path)).imports) {
      if (kind === 'type') continue
      if (specifier.startsWith('.')) open.push(importedPath(path, specifier))
      else packages.add(specifier)
    }
  }
  const folders = new Set([...files].map((path) => path.split('/').slice(0, -1).join('/')))

  expect([...packages]).toEqual(['zod'])
  expect([...folders].toSorted().join(' ')).toBe(
    'src src/effect src/http/client src/http/schemas src/http/wire src/proposal src/proposal/receipts',
  )
})
