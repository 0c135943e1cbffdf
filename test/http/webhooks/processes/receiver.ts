// A receiver in a process of its own: verifies signatures itself, keeps what it got in a file, and says where it listens.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import process from 'node:process'
import { text } from 'node:stream/consumers'

const [file = '', port = '0', secret = ''] = process.argv.slice(2)
const key = Buffer.from(secret.slice('whsec_'.length), 'base64')

function isGenuine(id: string, timestamp: string, signature: string, body: string): boolean {
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return signature.split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const server = createServer((request, response) => void take(request, response))

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers
  if (!isGenuine(String(id), String(at), String(signature), body)) {
    appendFileSync(file, `${JSON.stringify({ forged: true })}\n`)
    response.writeHead(401).end()
    return
  }
  // On the disk before it is acknowledged; killed in between, it gets the message once more.
  appendFileSync(file, `${JSON.stringify({ id, ...(JSON.parse(body) as object) })}\n`)
  response.writeHead(204).end()
}
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address !== 'string') process.stdout.write(`${address.port}\n`)
})
