import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { type AddressRanges, createAddressRanges } from '../address-ranges.ts'

/** Whether a request comes from an address that may deliver. */
export type MayDeliver = (req: Pick<IncomingMessage, 'headers' | 'socket'>) => boolean

export interface SendersDeps {
  /** Addresses and networks that may deliver; undefined: all. */
  allowed: readonly string[] | undefined
  /** Proxies, whose `X-Forwarded-For` is believed; that of anybody else is not. */
  trustedProxies: AddressRanges
}

/** Lets through what comes from the allowed addresses. */
export function createMayDeliver({ allowed, trustedProxies }: SendersDeps): MayDeliver {
  if (allowed === undefined) return () => true
  const ranges = createAddressRanges(allowed)
  return (req) => {
    const sender = readSender(req, trustedProxies)
    return sender !== undefined && ranges.has(sender)
  }
}

/** The address nearest to us that is no trusted proxy; undefined where a proxy passed on what is no address. */
function readSender({ headers, socket }: Parameters<MayDeliver>[0], trusted: AddressRanges): string | undefined {
  const forwarded = headers['x-forwarded-for']
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').map((hop) => hop.trim())
  let sender = socket.remoteAddress
  // Each proxy appends whom it heard from, so only the end of the list can be believed: what stands before it a sender may have invented.
  while (sender !== undefined && trusted.has(sender)) {
    const hop = hops.pop()
    if (hop === undefined || hop === '') break
    sender = readHop(hop)
  }
  return sender
}

/** Some proxies append the port. */
function readHop(hop: string): string | undefined {
  const address = /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop
  return isIP(address) === 0 ? undefined : address
}
