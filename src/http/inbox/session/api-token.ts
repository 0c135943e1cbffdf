// The token of a browser's session on the API: whoever is known by a cookie there sends what a form of the inbox would.
import { parseSession, type Session } from '../../../proposal/session.ts'
import { CrossSiteRequest } from '../../wire/http-refusals.ts'
import { type FormCookie, isFormToken, secretIn } from './form-secret.ts'

/** The header in which a script of the host's own sends it. */
const TOKEN_HEADER = 'X-Countersign-Token'

/** @throws CrossSiteRequest unless the request has the token of its browser and caller. Spec: http "Rules" */
export function demandApiToken({ headers }: Request, cookie: FormCookie, session: Session): void {
  const secret = secretIn(headers, cookie)
  const token = headers.get(TOKEN_HEADER) ?? ''
  if (secret === null || !isFormToken(token, secret, parseSession(session))) throw new CrossSiteRequest()
}
