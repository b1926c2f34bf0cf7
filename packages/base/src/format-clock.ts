/** A moment as local time of day, with the date unless it is today; `format` adds to it, such as the time zone. */
export function formatClock(at: number, now = Date.now(), format: Intl.DateTimeFormatOptions = {}): string {
  const date = new Date(at)
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...format })
  return date.toDateString() === new Date(now).toDateString() ? time : `${date.toLocaleDateString('en-CA')} ${time}`
}
