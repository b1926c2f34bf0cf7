import { inSpan, type OpenSpan } from './span.ts'

/** One outgoing request without patient data: `template` is its path with `{id}` for a resource id, and without query. */
export interface TracedRequest {
  method: string
  template: string | undefined
  /** Only host and port are recorded. */
  url: string
}

/** Sends a request within its own span, by the semantic conventions for HTTP. `read` returns the status of the answer, or the failure. */
export function inRequestSpan<T>(
  { method, template, url }: TracedRequest,
  send: () => Promise<T>,
  read: (result: T) => { status?: number | undefined; failure?: string | undefined },
): Promise<T> {
  const name = template === undefined ? method : `${method} ${template}`
  return inSpan(name, { kind: 'client' }, async (span) => {
    span.describe(() => {
      const { hostname, port, protocol } = new URL(url)
      const usual = protocol === 'https:' ? 443 : 80
      return {
        'http.request.method': method,
        'url.template': template,
        'server.address': hostname,
        'server.port': port === '' ? usual : Number(port),
      }
    })
    const result = await send()
    tell(span, read(result))
    return result
  })
}

function tell(span: OpenSpan, { status, failure }: { status?: number | undefined; failure?: string | undefined }) {
  if (status !== undefined) span.describe(() => ({ 'http.response.status_code': status }))
  const code = failure ?? (status !== undefined && status >= 400 ? String(status) : undefined)
  if (code !== undefined) span.fail(code)
}
