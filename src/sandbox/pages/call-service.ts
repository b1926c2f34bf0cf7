import type { Request } from 'express'

/** What the service answered; without a status where the connection broke. */
export interface ServiceAnswer {
  status: number | undefined
  /** As it came. */
  text: string
  /** Undefined where the text is no JSON. */
  json: unknown
}

/** Calls an endpoint of this very sandbox as an application would, so that planned failures, quotas and chaos meet it. */
export async function callService(
  req: Request,
  { token, path, body }: { token: string; path: string; body: string },
): Promise<ServiceAnswer> {
  const { localAddress = '127.0.0.1', localPort } = req.socket
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  try {
    const response = await fetch(`http://${host}:${localPort}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        // The name that whoever asked knows the sandbox by: addresses of files begin with it.
        host: req.get('host') ?? host,
      },
      body,
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    return { status: response.status, text, json: readJson(text) }
  } catch {
    const text = 'There was no answer: the connection broke, or it took over a minute.'
    return { status: undefined, text, json: undefined }
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
