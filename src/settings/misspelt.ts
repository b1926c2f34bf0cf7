/** A variable that is no setting, and the setting whose name it nearly has. */
export interface Misspelt {
  name: string
  meant: string
}

/** A shorter name is too near to others by chance. */
const minLength = 6
/** Letters that are wrong, missing or too many. */
const maxSlips = 2

/** The variables that nearly have the name of a setting: they are ignored, and the default holds. */
export function findMisspelt(given: readonly string[], settings: readonly string[]): Misspelt[] {
  const known = new Set(settings)
  const long = settings.filter((name) => name.length >= minLength)
  return given.flatMap((name) => {
    if (known.has(name) || name.length < minLength) return []
    const near = long.map((meant) => ({ name, meant, slips: slipsBetween(name.toUpperCase(), meant) }))
    const nearest = near.filter(({ slips }) => slips <= maxSlips).toSorted((a, b) => a.slips - b.slips)[0]
    return nearest === undefined ? [] : [{ name, meant: nearest.meant }]
  })
}

/** The Levenshtein distance, counted no further than it matters. */
function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > maxSlips) return maxSlips + 1
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let at = 1; at <= a.length; at += 1) {
    const next = [at]
    for (let to = 1; to <= b.length; to += 1) {
      const [left = 0, above = 0, corner = 0] = [next[to - 1], row[to], row[to - 1]]
      next.push(Math.min(left + 1, above + 1, corner + (a[at - 1] === b[to - 1] ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
