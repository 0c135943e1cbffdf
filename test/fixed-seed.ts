// The seed of every drawn test: one and the same in each run, so that a failure is there again; another one on request.
import process from 'node:process'
import { fc } from '@fast-check/vitest'

const FIXED_SEED = 20_301

const asked = process.env['FAST_CHECK_SEED']
const seed = Number(asked ?? FIXED_SEED)
if (asked === '' || !Number.isSafeInteger(seed)) throw new TypeError('FAST_CHECK_SEED is a whole number')

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
