// The id of a request, in its answer and in the log: the caller's own if it is harmless, else a fresh one.

const HARMLESS = /^[A-Za-z0-9._-]{1,64}$/

/** `fresh` draws an id of the allowed form, such as the `token` of the runtime's ids. Spec: http "Rules". */
export function requestId(headers: Headers, fresh: () => string): string {
  const given = headers.get('X-Request-Id')
  return given !== null && HARMLESS.test(given) ? given : fresh()
}
