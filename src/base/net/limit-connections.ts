import type { Server, Socket } from 'node:net'
import { addressKey, plainAddress } from './address-ranges.ts'

/** How many connections one address may have. */
export interface ConnectionLimit {
  maxPerAddress: number
  /** Who may have any number: a proxy stands for all senders behind it. */
  isExempt(this: void, address: string): boolean
  /** Hears of each connection that was cut. */
  onRefused(this: void): void
}

/** Cuts connections of an address beyond its limit before anything is read from them. Of IPv6 a network of 64 bits counts as one address, since a single machine has all of it. */
export function limitConnections(server: Server, { maxPerAddress, isExempt, onRefused }: ConnectionLimit): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    // Gone already, or of a kind without addresses.
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
