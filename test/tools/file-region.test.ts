// Regions are cut out whole, without their margin and without the markers of others.
import { describe, expect, it } from 'vitest'
import { regionOf, wholeFile } from '../../tools/file-region.ts'

const file = `// What it is.
import { a } from './a.ts'

  // #region outer
  outer(() => {
    // #region inner
    inner()
    // #endregion
  })

  // #endregion outer
rest()
`

describe('a region', () => {
  it('is moved to the left margin, and markers inside it are dropped', () => {
    expect(regionOf(file, 'outer')).toBe('outer(() => {\n  inner()\n})')
  })

  it('can lie inside another', () => {
    expect(regionOf(file, 'inner')).toBe('inner()')
  })

  it.each([
    ['is not there', 'the region gone is there 0 times', file, 'gone'],
    ['is there twice', 'the region inner is there 2 times', `${file}${file}`, 'inner'],
    ['has no end', 'the region open has no end', '// #region open\nopen()', 'open'],
  ])('is refused when it %s', (_case, message, text, name) => {
    expect(() => regionOf(text, name)).toThrow(message)
  })
})

describe('a whole file', () => {
  it('is quoted without its first sentence and without markers', () => {
    expect(wholeFile('// What it is.\nconst a = 1\n// #region b\nconst b = 2\n// #endregion\n')).toBe(
      'const a = 1\nconst b = 2',
    )
  })
})
