/** A FHIR string is never blank: blank and absent read as absent. */
export function text(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value
}

const date = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/
const zone = /(Z|[+-]\d{2}:\d{2})$/

/** A FHIR date or date-time, or absent where the value is neither. A time without a zone reads as UTC, since FHIR asks for one. */
export function toDateTime(value: string | undefined): string | undefined {
  if (value === undefined || Number.isNaN(Date.parse(value))) return undefined
  if (date.test(value)) return value
  if (!dateTime.test(value)) return undefined
  const instant = new Date(zone.test(value) ? value : `${value}Z`)
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString()
}
