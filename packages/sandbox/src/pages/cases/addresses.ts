/** Path of a case's page. */
export function addressOfCase(id: string): string {
  return `/_sandbox/pages/cases/${encodeURIComponent(id)}`
}
