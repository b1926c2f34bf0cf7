const maxMs = 7 * 24 * 3_600_000

/** The wait in milliseconds that a `Retry-After` requests, in seconds or as an HTTP date (RFC 9110, 10.2.3; specification, Limits 4). At most a week; undefined if it is absent or invalid. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), maxMs)
  if (!/^[A-Za-z]{3}/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - nowMs, 0), maxMs)
}
