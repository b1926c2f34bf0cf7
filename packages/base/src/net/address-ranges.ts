import { BlockList, isIP } from 'node:net'

/** Addresses and networks such as 192.0.2.7 or 2001:db8::/32. */
export interface AddressRanges {
  has(address: string): boolean
}

/** Whether a text names an address or a network. */
export function isAddressRange(text: string): boolean {
  return readRange(text) !== undefined
}

/** Throws `TypeError` for a text that is neither an address nor a network. */
export function createAddressRanges(ranges: readonly string[]): AddressRanges {
  const list = new BlockList()
  for (const text of ranges) {
    const range = readRange(text)
    if (range === undefined) throw new TypeError(`${text} is neither an address nor a network`)
    list.addSubnet(range.network, range.prefix, range.family)
  }
  return {
    has(address) {
      const plain = plainAddress(address)
      const family = familyOf(plain)
      return family !== undefined && list.check(plain, family)
    },
  }
}

/** Converts an IPv4-mapped IPv6 address (::ffff:192.0.2.7 or ::ffff:c000:207), as dual-stack listeners report it, to IPv4. */
export function plainAddress(address: string): string {
  const [, dotted, high, low] = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address) ?? []
  if (high === undefined || low === undefined) return dotted ?? address
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join('.')
}

/** An IPv4 address, or the first 64 bits of an IPv6 one. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? 0 : 8 - before.length - after.length
  const parts = [...before, ...Array.from({ length: Math.max(0, gap) }, () => '0'), ...after].slice(0, 4)
  // Normalizes the spelling, since proxies may write capitals and leading zeros.
  return parts.map((part) => Number.parseInt(part, 16).toString(16)).join(':')
}

function readRange(text: string): { network: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [, network = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = familyOf(network)
  if (family === undefined) return undefined
  const longest = family === 'ipv4' ? 32 : 128
  const prefix = length === undefined ? longest : Number(length)
  return prefix <= longest ? { network, prefix, family } : undefined
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const family = isIP(address)
  return family === 0 ? undefined : family === 4 ? 'ipv4' : 'ipv6'
}
