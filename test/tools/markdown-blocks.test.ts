// Fenced blocks are found with their marks, and only their texts are replaced.
import { describe, expect, it } from 'vitest'
import { blocksOf, withBlocks } from '../../tools/markdown-blocks.ts'

const page = `# A page

<!-- from: examples/docs/quickstart.ts#action -->
\`\`\`ts
const a = 1

const b = 2
\`\`\`

<!-- from: examples/docs/quickstart.ts -->

\`\`\`ts
\`\`\`

<!-- output of: npm run demo -->
\`\`\`text
drift: stale
\`\`\`

<!-- map -->
\`\`\`
src/
\`\`\`

<!-- a remark -->
\`\`\`sh
npm ci
\`\`\`
`

describe('the blocks of a page', () => {
  it('carry the mark right above their fence', () => {
    expect(blocksOf(page).map(({ mark }) => mark)).toEqual([
      { kind: 'from', path: 'examples/docs/quickstart.ts', region: 'action' },
      { kind: 'from', path: 'examples/docs/quickstart.ts', region: null },
      { kind: 'output', command: 'npm run demo' },
      { kind: 'map' },
      null,
    ])
  })

  it('carry their language, their line and their text, also when there is none', () => {
    const blocks = blocksOf(page)

    expect(blocks.map(({ language }) => language)).toEqual(['ts', 'ts', 'text', '', 'sh'])
    expect(blocks[0]).toMatchObject({ line: 4, text: 'const a = 1\n\nconst b = 2' })
    expect(blocks[1]).toMatchObject({ text: '' })
  })

  it('do not take a mark from further above', () => {
    const [block] = blocksOf('<!-- map -->\nwords\n```text\nx\n```\n')

    expect(block?.mark).toBeNull()
  })
})

describe('a page with other texts', () => {
  it('is the same page when the texts are the same', () => {
    const again = withBlocks(page, ({ text }) => text)

    expect(blocksOf(again)).toEqual(blocksOf(page.replace('```ts\n```', '```ts\n\n```')))
  })

  it('differs only inside the blocks, whatever the new text holds', () => {
    const text = 'costs $& and $1'

    const changed = withBlocks(page, (block) => (block.mark?.kind === 'map' ? text : block.text))

    expect(blocksOf(changed)[3]?.text).toBe(text)
    expect(changed.replace(text, 'src/')).toBe(page.replace('```ts\n```', '```ts\n\n```'))
  })
})
