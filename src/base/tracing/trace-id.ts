/** By what everything that belongs to one event is found, in logs and traces: the id of the trace that it was received in, or else one made of when it was stored, in milliseconds (12 digits), and its number (20), so that nothing has to be stored for it. 32 hexadecimal digits. */
export function traceIdOf(event: { id: number; receivedAt: number; traceparent?: string | null | undefined }): string {
  const traced = readTraceparent(event.traceparent)
  return traced?.traceId ?? `${hex(event.receivedAt, 12)}${hex(event.id, 20)}`
}

/** A traceparent as W3C Trace Context has it; `undefined` for any other text. */
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
