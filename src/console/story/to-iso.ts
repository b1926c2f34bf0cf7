/** A moment of the ledger, as a story tells it. */
export function toIso(at: number): string {
  return new Date(at).toISOString()
}
