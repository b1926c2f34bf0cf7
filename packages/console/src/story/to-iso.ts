/** ISO 8601 text of a ledger timestamp. */
export function toIso(at: number): string {
  return new Date(at).toISOString()
}
