/** A space, but not the one between a number and its unit or its name, such as in `10 mg` and `NDC 0000-0000-01`. */
const breakable =
  / (?<!\b(?:NDC|NPI|MRN|NCPDP) )(?:(?<!\d )|(?!(?:mg|mcg|[µμ]g|g|kg|mL|ml|L|units?|IU|mmol|days?|tablets?|capsules?)\b))/

/** No line holds so many characters: more of a word is never measured at once. */
const maxOnLine = 256

/** Breaks between words, and within a word that is too long for a line. */
export function wrap(text: string, fits: (part: string) => boolean): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(breakable)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= maxOnLine && fits(longer)) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    const pieces = piecesOf(word, fits)
    line = pieces.pop() ?? ''
    lines.push(...pieces)
  }
  return [...lines, line]
}

/** A word cut into the longest pieces that fit, which are found by halving. */
function piecesOf(word: string, fits: (part: string) => boolean): string[] {
  const characters = Array.from(word)
  const pieces: string[] = []
  for (let from = 0; from < characters.length;) {
    let [fitting, tooMany] = [1, Math.min(maxOnLine, characters.length - from) + 1]
    while (tooMany - fitting > 1) {
      const half = Math.floor((fitting + tooMany) / 2)
      if (fits(characters.slice(from, from + half).join(''))) fitting = half
      else tooMany = half
    }
    pieces.push(characters.slice(from, from + fitting).join(''))
    from += fitting
  }
  return pieces
}
