import { text, toDateTime } from '../primitives.ts'

/** A document for a clinician, before formatting. */
export interface Narrative {
  title: string
  /** The main point, in one or two sentences. */
  lead: string
  /** The patient in one line, for pages that may be separated. */
  patient?: string | undefined
  sections: readonly Section[]
}

export interface Section {
  heading: string
  rows?: readonly Row[]
  paragraphs?: readonly string[]
}

export type Row = readonly [label: string, value: string]

/** Rows of the values that are set, in this order. */
export function rowsOf(values: Readonly<Record<string, string | undefined>>): Row[] {
  return Object.entries(values).flatMap(([label, value]) => {
    const shown = text(value)
    return shown === undefined ? [] : [[label, shown.trim()] as const]
  })
}

export function withoutEmpty(sections: readonly Section[]): Section[] {
  return sections.filter(({ rows = [], paragraphs = [] }) => rows.length + paragraphs.length > 0)
}

/** A code of the service in words: `plan_exclusion` reads as "Plan exclusion". */
export function inWords(code: string): string {
  const words = code.trim().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A code in words, followed by the code as sent. */
export function codeInWords(code: string | undefined): string | undefined {
  const sent = text(code)
  if (sent === undefined) return undefined
  const words = inWords(sent)
  return words.toLowerCase() === sent.toLowerCase() ? words : `${words} (${sent})`
}

/** A day as sent, a time to the minute in UTC. */
export function shownTime(value: string | undefined): string | undefined {
  const at = toDateTime(value)
  if (at?.includes('T') !== true) return text(value)
  return `${at.slice(0, 'yyyy-mm-dd'.length)} ${at.slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length)} UTC`
}

export function yesOrNo(value: boolean | undefined): string | undefined {
  if (value === undefined) return undefined
  return value ? 'Yes' : 'No'
}
