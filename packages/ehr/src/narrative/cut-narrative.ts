import type { Narrative, Section } from './narrative.ts'

/** The words of a narrative up to a bound, and whether any are missing. */
export interface CutNarrative {
  narrative: Narrative
  isCut: boolean
}

/** Cost of a line break or a row beside its characters: about a line of a page. */
const lineCost = 60

/** Cuts a narrative to about so many characters, where each line break and row counts as a line. */
export function cutNarrative({ title, lead, patient, sections }: Narrative, maxCharacters: number): CutNarrative {
  let left = maxCharacters
  let isCut = false

  function take(text: string): string {
    const taken = prefixOf(text, left)
    left -= costOf(taken)
    isCut ||= taken.length < text.length
    return taken
  }
  function beginLine(): boolean {
    const isRoom = left > 0
    isCut ||= !isRoom
    left -= lineCost
    return isRoom
  }

  const head = { title: take(title), lead: take(lead), patient: patient === undefined ? undefined : take(patient) }
  const kept: Section[] = []
  for (const { heading, rows = [], paragraphs = [] } of sections) {
    if (!beginLine()) break
    kept.push({
      heading: take(heading),
      rows: rows.flatMap(([label, value]) => (beginLine() ? [[take(label), take(value)] as const] : [])),
      paragraphs: paragraphs.flatMap((each) => (beginLine() ? [take(each)] : [])),
    })
  }
  return { narrative: { ...head, sections: kept }, isCut }
}

function costOf(text: string): number {
  return text.length + lineCost * (text.split('\n').length - 1)
}

/** The start of a text within a cost, without splitting a character. */
function prefixOf(text: string, max: number): string {
  let cost = 0
  let at = 0
  for (const character of text) {
    cost += character === '\n' ? lineCost + 1 : character.length
    if (cost > max) return text.slice(0, at)
    at += character.length
  }
  return text
}
