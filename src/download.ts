import { lookup as systemLookup } from 'node:dns/promises'
import { get as getHttp, type IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

/** Fetches a file from a URL that a client chose. Rejects unless the whole file was read. */
export type Download = (url: string) => Promise<Buffer>

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

/** One GET with any status; rejects for a host that must not be connected to. */
type Exchange = (url: URL, signal: AbortSignal) => Promise<IncomingMessage>

const redirects: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308])
const maxRedirects = 3

/**
 * Creates a downloader that connects only to addresses that `mayConnect` allows. A name is resolved once and the connection goes to the
 * checked address, so that DNS rebinding gains nothing; each redirect is checked in the same way.
 */
export function createDownload(deps: {
  mayConnect: (address: string) => boolean
  maxBytes: number
  timeoutMs: number
  resolve?: Resolve
}): Download {
  const { mayConnect, maxBytes, timeoutMs, resolve = resolveAll } = deps

  const exchange: Exchange = async (url, signal) => {
    // A URL writes IPv6 in brackets.
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const family = isIP(host)
    const found = family === 0 ? await resolve(host) : [{ address: host, family }]
    const allowed = found.find(({ address }) => mayConnect(address))
    if (allowed === undefined) throw new Error('the host is not on the public internet')
    return request(url, signal, allowed)
  }

  async function follow(url: URL, signal: AbortSignal, redirectsLeft: number): Promise<Buffer> {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('the address is neither http nor https')
    const answer = await exchange(url, signal)
    const { statusCode, headers } = answer
    if (redirects.has(statusCode) && headers.location !== undefined) {
      answer.destroy()
      if (redirectsLeft === 0) throw new Error('the address redirects too often')
      return follow(new URL(headers.location, url), signal, redirectsLeft - 1)
    }
    if (statusCode === 200) return readBelow(answer, maxBytes)
    answer.destroy()
    throw new Error(`the host answers ${statusCode}`)
  }

  return (url) => follow(new URL(url), AbortSignal.timeout(timeoutMs), maxRedirects)
}

function resolveAll(host: string) {
  return systemLookup(host, { all: true })
}

function request(url: URL, signal: AbortSignal, { address, family }: { address: string; family: number }) {
  // The name stays in the Host header and the TLS handshake; only the address is fixed.
  const lookup: LookupFunction = (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }])
    else done(null, address, family)
  }
  return new Promise<IncomingMessage>((resolve, reject) => {
    const get = url.protocol === 'https:' ? getHttps : getHttp
    // A pooled connection could go to an address that was checked for another name.
    get(url, { lookup, signal, agent: false }, resolve).on('error', reject)
  })
}

async function readBelow(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // The compiler cannot see that a stream without encoding yields buffers.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('the file is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
