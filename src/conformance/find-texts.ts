/** How a value may look once it was written somewhere. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  // Base64 of a value in the middle of something depends on where it begins: the parts that do not are searched for.
  const inBase64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  )
  return [value, encodeURIComponent(value), bytes.toString('hex'), ...inBase64]
}

/** Makes a search for values, given by name: it finds the names of those that a text shows in any form, each once, with what stands around the first. */
export function createTextSearch(
  values: Readonly<Record<string, string>>,
): (text: string) => { name: string; around: string }[] {
  const forms = Object.entries(values).flatMap(([name, value]) =>
    formsOf(value)
      // Of a short value too little is left to be told from anything else.
      .filter((form) => form.length >= minFormLength)
      .map((form) => ({ name, form: form.toLowerCase() })),
  )
  return (text) => {
    const searched = text.toLowerCase()
    const found = new Map<string, string>()
    for (const { name, form } of forms) {
      const at = searched.indexOf(form)
      if (at >= 0 && !found.has(name)) found.set(name, text.slice(Math.max(0, at - 120), at + form.length + 40))
    }
    return [...found].map(([name, around]) => ({ name, around }))
  }
}

const minFormLength = 6
