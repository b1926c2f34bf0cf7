/** The calendar day of a moment as YYYY-MM-DD, in this process's time zone (setting TZ). */
export function dayOf(at: Date): string {
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(at.getFullYear()).padStart(4, '0')}-${month}-${day}`
}

/** Whether the calendar has this day (YYYY-MM-DD): `Date` reads 30 February as 2 March. */
export function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 'yyyy-mm-dd'.length) === text
}
