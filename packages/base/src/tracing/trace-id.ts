/**
 * The trace id of one event, in logs and traces: 32 hexadecimal digits. It is the id of the trace that received the event.
 * Without such a trace, it is derived, without extra storage, from the event's time in milliseconds (12 digits) and number (20).
 */
export function traceIdOf(event: { id: number; receivedAt: number; traceparent?: string | null | undefined }): string {
  const traced = readTraceparent(event.traceparent)
  return traced?.traceId ?? `${hex(event.receivedAt, 12)}${hex(event.id, 20)}`
}

/** Reads a traceparent (W3C Trace Context); `undefined` for any other text. */
export function readTraceparent(
  text: string | null | undefined,
): { traceId: string; spanId: string; traceFlags: number } | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) }
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0')
}
