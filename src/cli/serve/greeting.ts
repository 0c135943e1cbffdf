// What `serve` says once it takes requests: as text for a person, and as one line for a script.

/** What is served, and where. */
export interface Served {
  readonly url: string
  /** Where the API is described: a page for people if Swagger UI is installed, else the document. */
  readonly description: '/docs' | '/openapi.json'
  /** The inbox, or the link that signs in to it once; null where there is none, beyond loopback. */
  readonly inbox: string | null
  /** The example's business system; null beside actions of the host's own. */
  readonly provider: string | null
  readonly actions: readonly string[]
  /** Development tokens by name; none if the host authenticates. */
  readonly tokens: Readonly<Record<string, string>>
  /** Every file that is used, by what it holds. */
  readonly files: Readonly<Record<string, string>>
}

/** For `--json`. Spec: http "countersign serve". */
export function greetingData({ url, inbox, provider, actions, tokens }: Served): unknown {
  return { url, inbox, provider, actions, tokens }
}

/** What comes after the three commands: they end before anything is proven. */
const ACCEPTED = [
  'Accepted is not done: five seconds later "operator" has it read back, POST /v1/proposals/…/reconcile with {}.',
]

/** For a person. */
export function greetingLines(served: Served): readonly string[] {
  const { url, description, inbox, provider, actions, tokens, files } = served
  return [
    `Countersign listens on ${url}; its API is described at ${url}${description}.`,
    '',
    ...(inbox === null ? [] : [`People approve in a browser: ${inbox}`, '']),
    ...table({ ...files, ...(provider === null ? {} : { provider }), actions: actions.join(', ') }),
    ...(Object.keys(tokens).length === 0 ? [] : ['', 'Development tokens:', '', ...table(tokens)]),
    ...(provider === null ? [] : ['', 'Prepare as the agent, approve as finance, execute as the requester:', '']),
    ...(provider === null ? [] : [...curlLines(served), '', ...ACCEPTED]),
    '',
    'Ctrl-C stops it when open attempts have settled; pressed twice it ends at once.',
  ]
}

/** Three commands for any shell: prepare, approve, execute. */
function curlLines({ url, tokens }: Pick<Served, 'url' | 'tokens'>): readonly string[] {
  const as = (name: string): string =>
    `-H 'Authorization: Bearer ${tokens[name] ?? ''}' -H 'Content-Type: application/json'`
  const command = {
    action: 'example.payments/refund@1',
    command: { orderReference: 'ORD-1001', intent: 'damaged item', amount: { amount: '10.00', currency: 'EUR' } },
  }
  // Picked out of the answer with nothing but what every system has.
  const proposal = `$(echo "$prepared" | sed 's/.*"proposal":"\\([^"]*\\)".*/\\1/')`
  const commitment = `$(echo "$prepared" | sed 's/.*"commitment":"\\([^"]*\\)".*/\\1/')`
  return [
    `prepared=$(curl -sS ${url}/v1/proposals ${as('agent')} -d '${JSON.stringify(command)}'); echo "$prepared"`,
    `curl -sS "${url}/v1/proposals/${proposal}/approve" ${as('finance1')} -d "{\\"commitment\\":\\"${commitment}\\"}"`,
    `curl -sS "${url}/v1/proposals/${proposal}/execute" ${as('requester')} -d '{}'`,
  ]
}

function table(entries: Readonly<Record<string, string>>): readonly string[] {
  const width = Math.max(...Object.keys(entries).map((name) => name.length))
  return Object.entries(entries).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
}
