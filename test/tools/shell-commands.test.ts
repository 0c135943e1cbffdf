// Commands on a page are taken apart, and one that cannot work is told from one that can.
import { describe, expect, it } from 'vitest'
import { commandsOf, problemWith } from '../../tools/shell-commands.ts'

const known = {
  scripts: { demo: 'node demo.ts', test: 'vitest run' },
  binaries: ['vitest'],
  files: ['examples/docs/quickstart.ts', 'test/effect/fold.test.ts'],
}

describe('the commands of a block', () => {
  it('are split, without prompt, comment and variables', () => {
    const block = '$ git clone url && npm ci   # once\n\nUPDATE_DOCS=1 npx vitest run test/effect\n# a remark\n'

    expect(commandsOf(block)).toEqual(['git clone url', 'npm ci', 'npx vitest run test/effect'])
  })
})

describe('a command', () => {
  it.each([
    'git clone url',
    'npm ci',
    'npm test',
    'npm run demo',
    'npm install countersign zod',
    'npx vitest run test/effect',
    'node --conditions=countersign-source examples/docs/quickstart.ts',
  ])('"%s" can work', (command) => {
    expect(problemWith(command, known)).toBeNull()
  })

  it.each([
    'npm run demos',
    'npm start',
    'npm run',
    'npx tsup',
    'npx vitest run test/efect',
    'node examples/docs/quick.ts',
    'node',
    'yarn test',
  ])('"%s" cannot', (command) => {
    expect(problemWith(command, known)).toEqual(expect.any(String))
  })
})
