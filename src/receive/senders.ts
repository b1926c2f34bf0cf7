import type { IncomingMessage } from 'node:http'
import { type AddressRanges, createAddressRanges } from '@pawl/base/net/address-ranges'
import { readSender } from '@pawl/base/net/sender-address'

/** Whether a request comes from an allowed address. */
export type MayDeliver = (req: Pick<IncomingMessage, 'headers' | 'socket'>) => boolean

export interface SendersDeps {
  /** Addresses and networks that may deliver; undefined: all. */
  allowed: readonly string[] | undefined
  /** Proxies whose `X-Forwarded-For` is trusted; that of any other sender is ignored. */
  trustedProxies: AddressRanges
}

/** Admits requests from the allowed addresses. */
export function createMayDeliver({ allowed, trustedProxies }: SendersDeps): MayDeliver {
  if (allowed === undefined) return () => true
  const ranges = createAddressRanges(allowed)
  return (req) => {
    const sender = readSender(req, trustedProxies)
    return sender !== undefined && ranges.has(sender)
  }
}
