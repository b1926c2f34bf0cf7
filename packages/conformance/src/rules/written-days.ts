/** Whether a text names a day, in one of the usual ways to write it. */
export function namesDay(text: string, day: string): boolean {
  return formsOf(day).some((form) => isIn(text, form))
}

/** Whether a text has this, and no further digit beside it. */
export function isIn(text: string, form: string): boolean {
  const at = text.indexOf(form)
  return at >= 0 && !/\d/.test(text[at - 1] ?? '') && !/\d/.test(text[at + form.length] ?? '')
}

/** The day so many days later. */
export function dayAfter(day: string, by: number): string {
  const at = new Date(`${day}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() + by)
  return at.toISOString().slice(0, day.length)
}

const namedBy = (['long', 'short'] as const).map(
  (style) => new Intl.DateTimeFormat('en-US', { month: style, timeZone: 'UTC' }),
)
const knownForms = new Map<string, readonly string[]>()

/** Ways to write an ISO date. Cached, because a run asks for the same few dates thousands of times. */
export function formsOf(day: string): readonly string[] {
  const known = knownForms.get(day) ?? writtenForms(day)
  knownForms.set(day, known)
  return known
}

function writtenForms(day: string): string[] {
  const [year = '', month = '', date = ''] = day.split('-')
  const [shortMonth, shortDate] = [String(Number(month)), String(Number(date))]
  const names = namedBy.map((style) => style.format(new Date(`${day}T00:00:00Z`)))
  return [
    day,
    `${month}/${date}/${year}`,
    `${shortMonth}/${shortDate}/${year}`,
    `${date}.${month}.${year}`,
    `${shortDate}.${shortMonth}.${year}`,
    ...names.flatMap((name) => [`${name} ${shortDate}, ${year}`, `${shortDate} ${name} ${year}`]),
  ]
}
