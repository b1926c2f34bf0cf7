/** What BODY_STORE names. */
export type BodyStoreAddress =
  { kind: 'folder'; path: string } | { kind: 's3'; endpoint: string; bucket: string; prefix: string; region: string }

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Reads `file:<folder>` or `s3://bucket/prefix?endpoint=https://…&region=…`; `undefined` where it is neither. The prefix may be absent, and so may the region (`us-east-1`); an endpoint without TLS is one on this machine. */
export function parseBodyStoreAddress(text: string): BodyStoreAddress | undefined {
  const path = /^file:(.+)$/.exec(text)?.[1]
  if (path !== undefined) return { kind: 'folder', path }
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w/.-]*))?\?/.exec(text) ?? []
  if (bucket === undefined || !URL.canParse(text)) return undefined
  const { searchParams } = new URL(text)
  if ([...searchParams.keys()].some((name) => name !== 'endpoint' && name !== 'region')) return undefined
  const endpoint = searchParams.get('endpoint') ?? ''
  const region = searchParams.get('region') ?? 'us-east-1'
  const parts = prefix.split('/').filter((part) => part !== '')
  if (!isEndpoint(endpoint) || !/^[a-z0-9-]{2,40}$/.test(region) || parts.some((part) => /^\.+$/.test(part)))
    return undefined
  return { kind: 's3', endpoint: new URL(endpoint).origin, bucket, prefix: parts.join('/'), region }
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, username, password, search } = new URL(text)
  const isPlain = pathname === '/' && username === '' && password === '' && search === ''
  return isPlain && (protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname)))
}
