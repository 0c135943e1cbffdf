// Sign-in for development: opening the printed link shows a button, and only the button consumes it.
import { html } from '../html.ts'
import type { SignInLinks } from '../session/sign-in-links.ts'
import type { Page } from '../page.ts'

/** The page behind a link. It says nothing that depends on the link, but whether it is still good. */
export function signInPage(base: string, links: SignInLinks, link: string): Page {
  if (!links.isGood(link)) {
    return {
      title: 'This link is over',
      status: 410,
      main: html`<h1>This link is over</h1><p>It was used, or it is too old. Start the server again for a new one.</p>`,
    }
  }
  const options = links.names.map((name) => html`<option>${name}</option>`)
  return {
    title: 'Sign in',
    main: html`<h1>Sign in</h1><p>The link works once. It is for development: you choose who you are.</p>
<form method="post" action="${base}/inbox/sign-in"><input type="hidden" name="link" value="${link}">
<label for="as">Sign in as</label> <select id="as" name="as">${options}</select> <button class="primary">Sign in</button></form>`,
  }
}

/** What is shown to whoever is not signed in, if the host names no place to do it. */
export function signedOutPage(links: SignInLinks | null): Page {
  return {
    title: 'You are not signed in',
    status: 401,
    main: html`<h1>You are not signed in</h1><p>${
      links === null
        ? 'Sign in where you always do, then open this page again.'
        : 'Open the link that the server printed when it was started.'
    }</p>`,
  }
}
