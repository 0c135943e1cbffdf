// Going without approval is declared, with a reason; nothing else can say it.
import { describe, expect, it } from 'vitest'
import { isNoApproval, isReasonText, noApproval } from '../../src/proposal/policy/policy.ts'

describe('noApproval()', () => {
  it('keeps the reason and can no longer be changed', () => {
    const policy = noApproval('Below the amount that anybody looks at')

    expect(policy).toEqual({ noApproval: 'Below the amount that anybody looks at' })
    expect(Object.isFrozen(policy)).toBe(true)
    expect(isNoApproval(policy)).toBe(true)
  })

  it.each([[''], ['  \n'], ['x'.repeat(2_001)], ['\uD800'], [undefined], [42]])(
    'does not take %j for a reason',
    (reason) => {
      expect(isReasonText(reason)).toBe(false)
      expect(() => noApproval(reason as string)).toThrow(TypeError)
    },
  )

  it('takes a reason of 2,000 characters, however they are encoded', () => {
    expect(isReasonText('😀'.repeat(2_000))).toBe(true)
    expect(isReasonText('😀'.repeat(2_001))).toBe(false)
  })

  it('is not imitated by data', () => {
    expect(isNoApproval({ noApproval: 'because' })).toBe(false)
    expect(isNoApproval({ ...noApproval('because') })).toBe(false)
    expect(isNoApproval(null)).toBe(false)
    expect(isNoApproval('noApproval')).toBe(false)
  })
})
