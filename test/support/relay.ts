import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** How a relay can fail. `away`: connections end at once. `cut`: connections end before anything comes through. `silence`: no request comes through. `lost_answer`: the request comes through, and its answer is lost with the connection. */
export type RelayFault = 'away' | 'cut' | 'silence' | 'lost_answer'

/** Passes bytes on to a server, and fails as it is told. */
export interface Relay {
  /** On 127.0.0.1. */
  port: number
  /** From now on it fails in this way; without a fault, no more. */
  fail(this: void, fault?: RelayFault): void
  /** New connections go to this port of 127.0.0.1 from now on; open ones stay where they are, as when a name or a virtual address moves. */
  leadTo(this: void, port: number): void
  /** Connections that are open now. */
  connections(this: void): number
  close(this: void): Promise<void>
}

/** Starts one in front of a server on a port of 127.0.0.1. */
export async function startRelay(firstPort: number): Promise<Relay> {
  let port = firstPort
  const near = new Set<Socket>()
  let fault: RelayFault | undefined
  const server = createServer({ noDelay: true }, (socket) => {
    if (fault === 'away') return void socket.on('error', () => {}).destroy()
    const far = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {})
    near.add(socket.on('error', () => {}))
    let isAnswerLost = false
    socket.on('data', (bytes) => {
      if (fault === 'cut') return void socket.destroy()
      if (fault === 'silence') return
      isAnswerLost ||= fault === 'lost_answer'
      far.write(bytes)
    })
    far.on('data', (bytes) => (isAnswerLost ? socket.destroy() : socket.write(bytes)))
    socket.on('close', () => {
      near.delete(socket)
      far.end()
    })
    far.on('close', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // A server that listens on a port has an address object; the type also knows pipes.
    port: (server.address() as AddressInfo).port,
    fail(next) {
      fault = next
      if (fault === 'away') for (const socket of near) socket.destroy()
    },
    leadTo: (next) => void (port = next),
    connections: () => near.size,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of near) socket.destroy()
      await closed
    },
  }
}
