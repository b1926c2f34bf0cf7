/** A token search value, with the characters that FHIR gives a meaning escaped (R4, 3.1.1.4.0.1). */
export function searchToken({ system, value }: { system?: string | undefined; value: string }): string {
  const parts = system === undefined ? [value] : [system, value]
  return parts.map((part) => part.replace(/[\\$,|]/g, String.raw`\$&`)).join('|')
}
