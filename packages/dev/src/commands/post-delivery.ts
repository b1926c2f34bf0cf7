import { fetchBounded, maxShortAnswerBytes } from '@pawl/base/net/read-bounded'

/** The receiver's answer to a delivery; without a status, nothing answered. */
export interface DeliveryAnswer {
  status: number | undefined
  body: unknown
}

/** Sends a body as the service does, signed with `secret`. */
export async function postDelivery(
  url: string,
  body: string,
  { secret, ...init }: { secret: string; redirect?: 'manual'; signal?: AbortSignal },
): Promise<DeliveryAnswer> {
  const { signDelivery } = await import('@pawl/sandbox/webhooks/sign')
  const token = await signDelivery({ secret, body, bodyDigest: false, nowMs: Date.now() })
  const headers = { 'content-type': 'application/json', 'x-webhook-secret': token }
  try {
    const response = await fetchBounded(url, { method: 'POST', headers, body, ...init }, maxShortAnswerBytes)
    const text = await response.text()
    try {
      return { status: response.status, body: JSON.parse(text) as unknown }
    } catch {
      return { status: response.status, body: text.slice(0, 200) }
    }
  } catch {
    return { status: undefined, body: `Nothing answers at ${url}.` }
  }
}
