import type { DocumentReference } from 'fhir/r4.js'
import type { Narrative } from '@pawl/ehr/narrative/narrative'
import { renderText } from '@pawl/ehr/narrative/render-text'
import type { Differences } from './differences.ts'

/** No event that updates a document reports these. */
const aside = 'Messages and activity'

/** Compares a document worded by pawl's connector with its expected text. A document in other words is skipped. */
export function compareDocument(
  { expect }: Differences,
  document: DocumentReference | undefined,
  narrative: Narrative,
): void {
  const plain = document?.content.find(({ attachment }) => attachment.contentType === 'text/plain')
  const text = Buffer.from(plain?.attachment.data ?? '', 'base64').toString()
  const [kind = ''] = narrative.title.split(':')
  if (!text.startsWith(`${kind}: `)) return
  const wanted = linesIn(renderText(narrative))
  const held = linesIn(text)
  for (const line of wanted) if (!held.includes(line)) expect(`${labelOf(line)} in the document`, false, true)
  const past = held.find((line) => !wanted.includes(line))
  if (past !== undefined) expect(`${labelOf(past)} in the document, now outdated,`, true, false)
}

function linesIn(text: string): string[] {
  const [before = '', after = ''] = text.split(new RegExp(`^${aside}$`, 'm'))
  return `${before}${after.slice(after.indexOf('\n\n') + 1)}`.split('\n').filter((line) => /[^-=]/.test(line))
}

/** The label of a row, which is pawl's own word. Other lines stay hidden. */
function labelOf(line: string): string {
  const [, label] = /^([A-Z][\w (),-]{2,40}): /.exec(line) ?? []
  return label === undefined ? 'a line' : `"${label}"`
}
