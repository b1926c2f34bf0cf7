/** The page of a case. */
export function addressOfCase(id: string): string {
  return `/_sandbox/pages/cases/${encodeURIComponent(id)}`
}
