/** The remedy if several resources carry pawl's identifier. */
export const severalAdvice =
  'Several resources of the chart carry its identifier: keep one, then retry the parked work.'

const retryOne =
  'retry the parked work, this resource alone also with another document type or without an element (pawl retry --help)'

/** The remedy for a refused read of a draft. */
export function draftAdvice(type: string): string {
  return `Give pawl's credentials the right to read it, as system/${type}.rs of SMART 2 does: docs/starting.md has all that a start reads.`
}

/** The remedy for a refused request. `demands`: those of the vendor that it may have missed, as a clause. */
export function adviceOf(
  type: string,
  {
    status,
    hasSeveral,
    isSearch,
    demands,
  }: { status: number | undefined; hasSeveral: boolean; isSearch: boolean; demands: string | undefined },
): string {
  if (hasSeveral) return severalAdvice
  if (type === 'Patient') {
    return `Check that pawl's credentials may read and search patients; then retry the parked work. pawl ehr check tries it.`
  }
  if (type === 'Encounter') {
    return `Check that pawl's credentials may search encounters, and create them where FHIR_ENCOUNTER=create; then retry the parked work.`
  }
  if (type === 'Practitioner') {
    return `Check that pawl's credentials may search practitioners, or name one in FHIR_DOCUMENT_AUTHOR; then retry the parked work.`
  }
  if (status === 404 || status === 410) {
    return `It was not found: check that FHIR_BASE_URL is right and no proxy answers for the chart, that the chart has ${type} (pawl ehr check tells), and whether staff deleted the resource; then retry the parked work.`
  }
  if (status === 401 || status === 403) {
    return `Give pawl's credentials the right to it, or set FHIR_STRATEGIES=${type}=skip; then retry the parked work.`
  }
  if (isSearch && status === 400) {
    return `Set FHIR_STRATEGIES=${type}=remember if the chart cannot search by it; then retry the parked work.`
  }
  if (demands !== undefined && (status === 400 || status === 422)) {
    return `The chart refuses it: ${demands}. Say in FHIR_PROFILE_OVERRIDES where this chart demands otherwise, or set FHIR_STRATEGIES=${type}=skip; then ${retryOne}. pawl ehr check --write tries it on a test patient.`
  }
  if (type === 'Communication') {
    return `The chart refuses it: set FHIR_MESSAGE_RECIPIENT to the recipient of messages, or FHIR_STRATEGIES=Communication=skip to file them as documents; then retry the parked work.`
  }
  return `The chart refuses it: correct the mapping, or set FHIR_STRATEGIES=${type}=skip; then ${retryOne}. pawl ehr check shows what the chart takes.`
}
