import { isDay } from '@pawl/base/days'

/** The period of a report; `to` is exclusive. */
export interface Period {
  from: number
  to: number
}

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** Reads a moment: a date-time with its zone, or a date, meaning the start of that day in this process's time zone (setting TZ); `undefined` for anything else. */
export function readMoment(text: string): number | undefined {
  if (dateTime.test(text)) {
    const at = Date.parse(text)
    return Number.isNaN(at) || !isDay(text.slice(0, 'yyyy-mm-dd'.length)) ? undefined : at
  }
  return isDay(text) ? new Date(`${text}T00:00:00`).getTime() : undefined
}

/** Default length of a report, in days. */
const usualDays = 30

/** The start of the day `daysLater` calendar days after that of `at`, in this process's time zone. */
export function startOfDay(at: number, daysLater = 0): number {
  const day = new Date(at)
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() + daysLater)
  return day.getTime()
}

/** Reads a period, by default the 30 days before its end, or before today, and today. An invalid one yields its fault. */
export function readPeriod(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: number,
): Period | { fault: string } {
  const end = to === undefined ? now : readMoment(to)
  const begin = from === undefined ? startOfDay(end ?? now, -usualDays) : readMoment(from)
  if (end === undefined || begin === undefined)
    return {
      fault: 'from and to are dates such as 2026-01-31, or date-times with a zone such as 2026-01-31T08:00:00Z.',
    }
  return begin < end ? { from: begin, to: end } : { fault: 'from must be before to, which is exclusive.' }
}
