/** Formats a duration, such as "90 s", "12 min" or "3 h". */
export function formatDuration(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}
