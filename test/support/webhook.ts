import { SignJWT } from 'jose'

/** The secret that test gateways verify with. */
export const webhookSecret = 'a-secret-for-tests-of-at-least-32-characters'

/** An X-Webhook-Secret JWT as the service makes it. */
export function signToken(claims: Record<string, unknown> = {}, secret: string = webhookSecret): Promise<string> {
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' })
  if (!('exp' in claims)) token.setExpirationTime('5m')
  return token.sign(new TextEncoder().encode(secret))
}

/** An envelope about one PA. */
export function envelope(
  data: { id: string; [field: string]: unknown },
  eventType = 'prior_authorization.status_change',
) {
  return { title: 'Prior Authorization Updated', description: 'Test', event_type: eventType, data }
}

/** Posts one delivery as the service does. */
export async function deliver(url: string, body: unknown, options: { token?: string } = {}): Promise<Response> {
  return fetch(`${url}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-secret': options.token ?? (await signToken()) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
