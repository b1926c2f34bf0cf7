import { InvalidArgumentError } from 'commander'

/** Reads a moment in the past: a date-time, or an age. Throws `InvalidArgumentError`. */
export function readSince(text: string): Date {
  const ago = /^(\d{1,6})([mhd])$/.exec(text)
  const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }[ago?.[2] ?? ''] ?? 0
  const since = ago === null ? new Date(text) : new Date(Date.now() - Number(ago[1]) * unitMs)
  if (since.getTime() > Date.now()) throw new InvalidArgumentError('It is in the future: give a moment in the past.')
  if (Number.isNaN(since.getTime())) {
    throw new InvalidArgumentError(
      'Give a date-time such as 2026-01-31T08:00:00Z, or how long ago, such as 90m, 6h, 3d.',
    )
  }
  return since
}
