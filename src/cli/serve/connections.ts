// The connections of a server, and on which of them something is being answered.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Node counts a connection as idle only once a request has been answered on it, and looks after slow ones no longer when
 * its server is closed. So one that a browser opened in advance would be waited for until the limit of stopping.
 */
export class Connections {
  readonly #requests = new Map<Socket, number>()

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#requests.set(socket, 0)
      socket.once('close', () => this.#requests.delete(socket))
    })
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#count(socket, 1)
      response.once('close', () => this.#count(socket, -1))
    })
  }

  /** Breaks every connection on which nothing is being answered; a request that has not come whole was not taken. */
  breakUnused(): void {
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroy()
  }

  // One that is closed is not known any more.
  #count(socket: Socket, change: 1 | -1): void {
    const requests = this.#requests.get(socket)
    if (requests !== undefined) this.#requests.set(socket, requests + change)
  }
}
