// The door of HTTP: the app, the shipped ways of authentication, and what a server in front of it should limit.
export { type AppOptions, createApp } from './http/app.ts'
export {
  bearerJwt,
  type BearerJwtOptions,
  type ClaimMapping,
  type Claims,
  type ClaimSource,
  type LocalKeySet,
} from './http/auth/bearer-jwt.ts'
export type { Authenticate } from './http/auth/session.ts'
export { staticTokens, type StaticToken, type StaticTokensOptions } from './http/auth/static-tokens.ts'
export type { OnInternalError } from './http/frame.ts'
export { HTTP_REFUSALS, type HttpRefusalCode, type ProblemCode } from './http/wire/http-refusals.ts'
export { serverLimits, serverProperties } from './http/wire/server-limits.ts'
export type { FieldError } from './http/wire/problem-members.ts'
export type { ProblemBody } from './http/wire/problem.ts'
