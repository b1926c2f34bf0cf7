/** Encodings in which a value may appear. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  // Base64 inside a longer text depends on the offset: search for the parts that do not.
  const inBase64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  )
  return [value, ...datesOf(value), encodeURIComponent(value), bytes.toString('hex'), ...inBase64]
}

/** Other ways to write an ISO date. */
function datesOf(value: string): string[] {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value) ?? []
  if (year === undefined) return []
  const [shortMonth, shortDay] = [Number(month), Number(day)]
  return [
    `${year}${month}${day}`,
    `${year}/${month}/${day}`,
    ...['/', '.', '-'].flatMap((mark) => [
      [month, day, year].join(mark),
      [day, month, year].join(mark),
      [shortMonth, shortDay, year].join(mark),
      [shortDay, shortMonth, year].join(mark),
    ]),
  ]
}

/** Creates a search for named values in any encoding. It returns each name once, with the text around its first match. */
export function createTextSearch(
  values: Readonly<Record<string, string>>,
): (text: string) => { name: string; around: string }[] {
  const forms = Object.entries(values).flatMap(([name, value]) =>
    formsOf(value)
      // Fragments of a short value would match unrelated text.
      .filter((form) => form.length >= minFormLength)
      .map((form) => ({ name, form: form.toLowerCase() })),
  )
  // Most texts contain no value, which a single pattern decides quickly.
  const any = new RegExp(forms.map(({ form }) => escaped(form)).join('|'))
  return (text) => {
    const searched = text.toLowerCase()
    if (!any.test(searched)) return []
    const found = new Map<string, string>()
    for (const { name, form } of forms) {
      const at = searched.indexOf(form)
      if (at >= 0 && !found.has(name)) found.set(name, text.slice(Math.max(0, at - 120), at + form.length + 40))
    }
    return [...found].map(([name, around]) => ({ name, around }))
  }
}

/** A pattern that matches exactly this text. */
export function escaped(text: string): string {
  return text.replaceAll(/[^\w\s]/g, String.raw`\$&`)
}

const minFormLength = 6
