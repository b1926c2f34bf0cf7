import { inSpan } from '../base/tracing/span.ts'
import type { Receiver } from './receiver.ts'

/** The same receiver, each delivery in a span of its own that begins a trace: what a sender says of traces counts for nothing. */
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
