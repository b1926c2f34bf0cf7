import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { AddressRanges } from './address-ranges.ts'

/** The nearest address that is not a trusted proxy; undefined if a proxy passed on an invalid address. */
export function readSender(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trusted: AddressRanges,
): string | undefined {
  const forwarded = headers['x-forwarded-for']
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').map((hop) => hop.trim())
  let sender = socket.remoteAddress
  // Each proxy appends its peer, so only the end of the list is trusted: a sender may have forged the rest.
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
