import type { Request } from 'express'
import { ownUrl } from '@pawl/base/net/nearest-url'
import { parseJson } from '@pawl/base/parse-json'

/** What the sandbox answered; no status if the connection broke. */
export interface SandboxAnswer {
  status: number | undefined
  /** Raw body. */
  text: string
  /** Undefined if the text is not JSON. */
  json: unknown
}

/** Calls an endpoint or a control of this sandbox as an application would, so that planned failures, quotas and chaos apply. */
export async function callItself(
  req: Request,
  call: { method: string; path: string; token?: string; body?: string | undefined },
): Promise<SandboxAnswer> {
  const { method, path, token, body } = call
  const url = ownUrl(req)
  try {
    const response = await fetch(`${url}${path}`, {
      method: method.toUpperCase(),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        // The browser's host name for the sandbox, with which file URLs begin.
        host: req.get('host') ?? new URL(url).host,
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    return { status: response.status, text, json: parseJson(text) }
  } catch {
    const text = 'No answer: the connection broke, or the call took over a minute.'
    return { status: undefined, text, json: undefined }
  }
}
