// The books of a business system in a process of its own: it books whatever it is asked to, twice if asked twice, and counts.
import { createServer, type IncomingMessage } from 'node:http'
import process from 'node:process'

interface Booking {
  readonly key: string
  readonly id: string
  readonly content: unknown
}

const booked: Booking[] = []

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || 'null')
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://books')
  const keys = url.searchParams.getAll('key')
  const answer = (value: unknown): void => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value))
  }
  if (request.method === 'GET') {
    answer(keys.length === 0 ? booked.map(({ key }) => key) : booked.filter(({ key }) => keys.includes(key)))
    return
  }
  const book = (content: unknown): void => {
    const booking = { key: keys[0] ?? '', id: `b-${booked.length + 1}`, content }
    booked.push(booking)
    answer(booking)
  }
  bodyOf(request).then(book, () => response.destroy())
})

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`)
})
// It ends with whoever started it.
process.stdin.resume().once('end', () => process.exit(0))
