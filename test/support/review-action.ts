import type { ClaimResponse } from 'fhir/r4.js'

/** The X12 306 code of a determination's only item. */
export function reviewActionOf(response: ClaimResponse | undefined): string | undefined {
  const extension = response?.item?.[0]?.adjudication[0]?.extension?.[0]?.extension?.[0]
  return extension?.valueCodeableConcept?.coding?.[0]?.code
}
