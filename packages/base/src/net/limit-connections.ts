import type { Server, Socket } from 'node:net'
import { addressKey, plainAddress } from './address-ranges.ts'

export interface ConnectionLimit {
  maxPerAddress: number
  /** Exempt addresses, such as a proxy, which serves all senders behind it. */
  isExempt(this: void, address: string): boolean
  /** Called for each refused connection. */
  onRefused(this: void): void
}

/** Cuts connections of an address beyond its limit before reading from them. For IPv6 a /64 network counts as one address, since a single machine owns all of it. */
export function limitConnections(server: Server, { maxPerAddress, isExempt, onRefused }: ConnectionLimit): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    // Already closed, or not a TCP socket.
    if (remoteAddress === undefined) return
    const address = plainAddress(remoteAddress)
    if (isExempt(address)) return
    const key = addressKey(address)
    const count = open.get(key) ?? 0
    if (count >= maxPerAddress) {
      socket.destroy()
      onRefused()
      return
    }
    open.set(key, count + 1)
    socket.once('close', () => {
      const left = (open.get(key) ?? 1) - 1
      if (left === 0) open.delete(key)
      else open.set(key, left)
    })
  })
}
