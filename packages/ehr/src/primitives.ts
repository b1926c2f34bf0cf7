import { dayOf, isDay } from '@pawl/base/days'

/** A FHIR string is never blank: blank and absent read as absent. */
export function text(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value
}

/** Joins the parts that are set; undefined if none is. */
export function join(parts: readonly (string | undefined)[], separator: string): string | undefined {
  return text(parts.filter((part) => text(part) !== undefined).join(separator))
}

/** Stands for a character where it cannot be shown or sent: its number in Unicode, such as `[U+4E2D]`. */
export function byNumber(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
}

/** An empty list is left out of a resource. */
export function filled<T>(list: readonly T[]): T[] | undefined {
  return list.length === 0 ? undefined : [...list]
}

const date = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/
const zone = /(Z|[+-]\d{2}:\d{2})$/

/** A FHIR date or date-time; undefined for any other value. A time without a zone reads as UTC, since FHIR requires one. */
export function toDateTime(value: string | undefined): string | undefined {
  if (value === undefined || !isDay(value.slice(0, 'yyyy-mm-dd'.length))) return undefined
  if (date.test(value)) return value
  if (!dateTime.test(value)) return undefined
  const instant = new Date(zone.test(value) ? value : `${value}Z`)
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString()
}

/** The day of a FHIR date or date-time: a date as it is, since it has no zone; of a moment, the day in the process's zone. */
export function toDay(value: string): string {
  const at = value.includes('T') ? new Date(value) : undefined
  return at === undefined || Number.isNaN(at.getTime()) ? value.slice(0, 'yyyy-mm-dd'.length) : dayOf(at)
}

/** A FHIR instant; undefined for a day without time. */
export function toInstant(value: string | undefined): string | undefined {
  const at = toDateTime(value)
  return at?.includes('T') === true ? at : undefined
}
