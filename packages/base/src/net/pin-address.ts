import { lookup as systemLookup } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

/** Whether a connection to this address may be made on behalf of a URL. */
export type MayConnect = (address: string, url: URL) => boolean

/**
 * The guard of every untrusted URL. A name is resolved once, and the returned lookup connects to the allowed address, which defeats DNS rebinding.
 * `undefined` if none of its addresses is allowed; rejects if the name cannot be resolved.
 */
export async function pinAddress(
  url: URL,
  { mayConnect, resolve = resolveAll }: { mayConnect: MayConnect; resolve?: Resolve | undefined },
): Promise<LookupFunction | undefined> {
  const allowed = (await addressesOf(url, resolve)).find(({ address }) => mayConnect(address, url))
  if (allowed === undefined) return undefined
  const { address, family } = allowed
  return (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }])
    else done(null, address, family)
  }
}

/** Link-local addresses, where services such as cloud metadata hand out credentials. */
const linkLocal = new BlockList()
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4')
linkLocal.addSubnet('fe80::', 10, 'ipv6')

/** The reach of an address: the internet, this machine, the same link, or another private network. */
export function reachOf(address: string): 'public' | 'loopback' | 'link_local' | 'private' {
  if (isLoopbackAddress(address)) return 'loopback'
  if (linkLocal.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) return 'link_local'
  return isPublicAddress(address) ? 'public' : 'private'
}

/** The addresses of a URL's host, which may itself be an address. */
export async function addressesOf(url: URL, resolve: Resolve = resolveAll) {
  // A URL writes IPv6 in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  return family === 0 ? resolve(host) : [{ address: host, family }]
}

function resolveAll(host: string) {
  return systemLookup(host, { all: true })
}
