import type { Fault } from '../contract/status-verdict.ts'
import { catalogue, type FaultCode } from './catalogue.ts'
import type { FaultEntry } from './fault-entry.ts'

/** Values of the placeholders in the words of a fault. */
export type Placeholders = Readonly<Record<string, string | number | undefined>>

/** Words in place of unknown values. */
const unknown: Placeholders = {
  folder: "the ledger's folder",
  files: 'its files',
  df: 'df -h',
  credential: 'it',
  person: 'Who paused it',
  span: 'an hour',
}

/** A fault of the catalogue, with its placeholders filled. `why`: a code, a status or a reason. */
export function faultOf(code: FaultCode, known: Placeholders = {}, why?: string): Fault {
  const facts = { ...unknown, ...Object.fromEntries(Object.entries(known).filter(([, fact]) => fact !== undefined)) }
  const { severity, runbook, isOptional, isPast: _past, isDated: _dated, ...words }: FaultEntry = catalogue[code]
  const filled = Object.entries(words).flatMap(([name, text]) => {
    const said = name === 'note' ? fillSentences(text, facts) : fill(text, facts)
    return said === undefined ? [] : [[name, said]]
  })
  return {
    code,
    severity,
    title: words.title,
    ...(Object.fromEntries(filled) as Partial<typeof words>),
    ...(why !== undefined && { why }),
    ...(isOptional && { isOptional }),
    runbook,
  }
}

/** The text with its placeholders filled; `undefined` if a value is missing. */
function fill(text: string, facts: Placeholders): string | undefined {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (names.some((name) => facts[name] === undefined || facts[name] === '')) return undefined
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name]))
}

/** The sentences whose values are all known. */
function fillSentences(text: string, facts: Placeholders): string | undefined {
  const said = text
    .split(/(?<=[.?]) (?=[A-Z{])|(?<=\}) (?=[A-Z][a-z])/)
    .flatMap((sentence) => fill(sentence, facts) ?? [])
  return said.length === 0 ? undefined : said.join(' ')
}
