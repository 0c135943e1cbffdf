// The door of HTTP: the app, the shipped ways of authentication, and what a server in front of it should limit.
export { type AppOptions, createApp } from './http/app.ts'
export type {
  BearerJwtOptions,
  LocalKeySet,
  RemoteKeySetOptions,
  TokenAlgorithm,
} from './http/auth/bearer-jwt-options.ts'
export { bearerJwt } from './http/auth/bearer-jwt.ts'
export type { Authenticate } from './http/auth/session.ts'
export {
  demandSuitableAddress,
  type StaticToken,
  staticTokens,
  type StaticTokensOptions,
} from './http/auth/static-tokens.ts'
export type { ClaimMapping, Claims, ClaimSource } from './http/auth/token-session.ts'
export type { OnInternalError } from './http/frame.ts'
export type { InboxOptions } from './http/inbox/inbox.ts'
export type { InboxField, InboxPreview, ShownAs } from './http/inbox/preview/declared.ts'
export { SignInLinks, type SignInLinksOptions } from './http/inbox/session/sign-in-links.ts'
export {
  AuthenticationUnavailable,
  HTTP_REFUSALS,
  type HttpRefusalCode,
  type ProblemCode,
  Unauthenticated,
} from './http/wire/http-refusals.ts'
export type { Meters, RequestFigure } from './http/operations/meters.ts'
export {
  type PrometheusMeters,
  prometheusMeters,
  type PrometheusMetersOptions,
} from './http/operations/prometheus-meters.ts'
export { serverLimits, serverProperties } from './http/wire/server-limits.ts'
export type { WebhookEndpoint } from './http/webhooks/endpoint-options.ts'
export type { ResolveHost } from './http/webhooks/send.ts'
export { webhooks, type WebhooksOptions } from './http/webhooks/webhooks.ts'
export type { FieldError } from './http/wire/problem-members.ts'
export type { ProblemBody } from './http/wire/problem.ts'
