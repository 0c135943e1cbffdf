// The open endpoints of the documentation: the OpenAPI document, and a page that shows it.
import { z } from 'zod'
import type { OpenEndpoint } from '../open-endpoint.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { readAsset } from '../openapi/swagger-assets.ts'
import { UnknownPath } from '../wire/http-refusals.ts'
import { securityHeaders } from '../wire/security-headers.ts'

/** The document; where the app is mounted is written into it for each request. */
export function showDocument(document: () => Promise<OpenApiDocument>): OpenEndpoint {
  return {
    path: '/openapi.json',
    operationId: 'showDocument',
    summary: 'Shows this document.',
    mediaType: 'application/json',
    schema: z.record(z.string(), z.unknown()),
    refusals: [],
    async handle({ basePath }) {
      return Response.json({ ...(await document()), servers: [{ url: basePath === '' ? '/' : basePath }] })
    },
  }
}

/** The page, and the files that it loads. */
export function documentationPages(folder: string): readonly OpenEndpoint[] {
  return [
    {
      path: '/docs',
      operationId: 'showDocumentation',
      summary: 'Shows the document as a page, without a request to anywhere else.',
      mediaType: 'text/html',
      refusals: [],
      handle: ({ basePath }) => new Response(page(`${basePath}/docs`), { headers: PAGE_HEADERS }),
    },
    {
      path: '/docs/:asset',
      operationId: 'loadDocumentationAsset',
      summary: 'Loads a file of that page.',
      mediaType: '*/*',
      refusals: ['unknown_path'],
      async handle({ param, basePath }) {
        const name = param('asset')
        if (name === 'start.js') return new Response(startScript(basePath), { headers: SCRIPT_HEADERS })
        const asset = await readAsset(folder, name)
        if (asset === null) throw new UnknownPath()
        return new Response(asset.bytes, { headers: { 'Content-Type': asset.mediaType } })
      },
    },
  ]
}

// Swagger UI sets its styles by script, which needs no permission, and its icons are in its style sheet.
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  ...securityHeaders({
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
  }),
}

const SCRIPT_HEADERS = { 'Content-Type': 'text/javascript; charset=utf-8' }

function page(at: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Countersign</title>
<link rel="icon" href="${attribute(at)}/favicon-32x32.png">
<link rel="stylesheet" href="${attribute(at)}/swagger-ui.css">
<div id="documentation"></div>
<script src="${attribute(at)}/swagger-ui-bundle.js"></script>
<script src="${attribute(at)}/start.js"></script>
</html>
`
}

// Credentials that are typed in stay in the page.
function startScript(basePath: string): string {
  const options = {
    url: `${basePath}/openapi.json`,
    dom_id: '#documentation',
    validatorUrl: null,
    persistAuthorization: false,
  }
  return `SwaggerUIBundle(${JSON.stringify(options)})\n`
}

/** Where the app is mounted comes out of the request. */
function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
