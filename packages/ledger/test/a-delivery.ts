import type { Delivery } from '../src/hot/accept.ts'

/** Overrides of a delivery; a body that is neither bytes nor text becomes JSON. */
type Different = Partial<Omit<Delivery, 'body'>> & { body?: object | string }

/** A webhook about a change of the PA pa_req_1, as the ledger gets it. */
export function aDelivery({ body = '{}', ...different }: Different = {}): Delivery {
  return {
    resourceId: 'pa_req_1',
    kind: 'prior_authorization',
    eventType: 'prior_authorization.status_change',
    eventKey: undefined,
    body: body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    source: 'webhook',
    ...different,
  }
}
