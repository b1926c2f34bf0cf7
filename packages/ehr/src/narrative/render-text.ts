import type { Narrative, Section } from './narrative.ts'

/** Characters of a line that no viewer breaks. */
const screenWidth = 78

/** A narrative as lines of plain text. */
export function renderText({ title, lead, sections }: Narrative): string {
  const head = [title, '='.repeat(Math.min(title.length, screenWidth)), '', ...(lead === '' ? [] : [lead, ''])]
  return printable(`${[...head, ...sections.flatMap(linesOf)].join('\n').trimEnd()}\n`)
}

function linesOf({ heading, rows = [], paragraphs = [] }: Section): string[] {
  return [
    ...(heading === '' ? [] : [heading, '-'.repeat(heading.length)]),
    ...rows.map(([label, value]) => `${label}: ${value.replaceAll('\n', '\n  ')}`),
    ...paragraphs,
    '',
  ]
}

/** Text without the control characters that FHIR and XML refuse. */
export function printable(value: string): string {
  return value.replaceAll(/[^\P{Cc}\t\n]|[\uFFFE\uFFFF]|\p{Cs}/gu, '')
}
