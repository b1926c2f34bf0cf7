import { inSpan } from '../base/tracing/span.ts'
import type { Receiver } from './receiver.ts'

/** The same receiver, with each delivery in its own span that begins a trace: a sender's trace headers are ignored. */
export function traceAnswers(receiver: Receiver): Receiver {
  return (req, res) => {
    const { method = 'POST' } = req
    const attributes = { 'http.request.method': method, 'http.route': '/webhooks' }
    return inSpan(`${method} /webhooks`, { kind: 'server', attributes, follows: {} }, async (span) => {
      await receiver(req, res)
      const { statusCode } = res
      span.describe(() => ({ 'http.response.status_code': statusCode }))
      if (statusCode >= 500) span.fail(String(statusCode))
    })
  }
}
