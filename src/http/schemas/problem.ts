// Problems and the plain answers of operations, as the document describes them.
import { z } from 'zod'
import { ACTS } from '../../proposal/contract.ts'
import { type ProblemCode, PROBLEMS } from '../wire/http-refusals.ts'
import { nextStep, reasonCode, status } from './common.ts'
import { component } from './components.ts'

const codes = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]

const fieldError = component(
  'FieldError',
  'One thing that is wrong with what was sent: where, and which rule; never the value.',
  z.strictObject({ pointer: z.string(), code: z.string(), message: z.string() }),
)

export const problem = component(
  'Problem',
  'Why nothing was done (RFC 9457). `type` leads to a page that explains the code.',
  z.strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(codes),
    instance: z.string(),
    detail: z.exactOptional(z.string()),
    proposalStatus: z.exactOptional(status),
    reason: z.exactOptional(reasonCode),
    nextStep: z.exactOptional(nextStep),
    errors: z.exactOptional(z.array(fieldError)),
    revision: z.exactOptional(z.int().min(0)),
    limit: z.exactOptional(z.string()),
    act: z.exactOptional(z.enum(ACTS)),
    requirements: z.exactOptional(z.array(z.string())),
    observed: z.exactOptional(z.strictObject({ attempt: z.int(), ending: z.string() })),
  }),
)

export const health = component(
  'Health',
  'The process answers, or everything that it needs does.',
  z.strictObject({ status: z.enum(['alive', 'ready']) }),
)
