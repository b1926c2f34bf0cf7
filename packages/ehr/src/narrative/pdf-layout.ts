import type { Narrative, Section } from './narrative.ts'
import { wrap } from './wrap-words.ts'

export interface Style {
  font: 'regular' | 'bold'
  size: number
}

/** Text at a place of its line. */
export interface TextRun extends Style {
  text: string
  x: number
  isLabel?: boolean
}

/** The smallest piece of a page. */
export interface Line {
  height: number
  runs: readonly TextRun[]
  /** A horizontal rule below the text. */
  rule?: { at: number; width: number }
  /** Height of a bar beside it. */
  bar?: number
  /** Never the last line of a column. */
  staysWithNext: boolean
}

/** A line with its place in the body of a page. */
export type PlacedLine = Line & { x: number; y: number }

export interface Typeset {
  /** The text in characters that the font has. */
  show: (text: string) => string
  /** Width in points. */
  widthOf: (text: string, style: Style) => number
}

interface Sizes {
  text: number
  heading: number
  /** Of the labels, as a part of the column's width. */
  label: number
}

const wide: Sizes = { text: 10, heading: 11, label: 0.27 }
const narrow: Sizes = { text: 9, heading: 10, label: 0.34 }
const leading = 1.3
const gutter = 22

/** Max lines of a row that is kept together. */
const maxKept = 8
/** Max lines of a section that is kept together, if that costs no page. */
const maxKeptSection = 28

/**
 * The lines of each page: one column if it fits on a page or is running text, otherwise two columns, of equal height on a single page.
 * Points from the top left of the body. `notice` stands above the title.
 */
export function layOut(
  narrative: Narrative,
  body: { width: number; height: number },
  typeset: Typeset,
  { hasUnshown, notice }: { hasUnshown: () => boolean; notice?: string | undefined },
): PlacedLine[][] {
  const head = [
    ...(notice === undefined ? [] : noteLines(notice, body.width, typeset)),
    ...headLines(narrative, body.width, typeset),
  ]
  const headHeight = heightOf(head)
  const single = narrative.sections.flatMap((section) => linesOf(section, body.width, wide, typeset))
  const note = hasUnshown() ? noteLines(unshown, body.width, typeset) : []
  const placedHead = place(head, 0)
  const isTable = narrative.sections.some(({ rows = [] }) => rows.length > 0)
  if (!isTable || headHeight + heightOf([...single, ...note]) <= body.height) {
    const pages = fill([...single, ...note], (at) => ({ height: body.height - (at === 0 ? headHeight : 0) }))
    return pages.map((lines, at) => (at === 0 ? [...placedHead, ...place(lines, headHeight)] : place(lines, 0)))
  }
  const width = (body.width - gutter) / 2
  const sections = narrative.sections.map((section) => linesOf(section, width, narrow, typeset))
  const notes = hasUnshown() ? noteLines(unshown, width, typeset) : []
  const room = body.height - headHeight
  const loose = [...sections.flat(), ...notes]
  const columns =
    balanced([...sections.flatMap(keptTogether), ...notes], room) ??
    balanced(loose, room) ??
    fill(loose, (at) => ({ height: at < 2 ? room : body.height }))
  const pages: PlacedLine[][] = [placedHead]
  for (const [at, column] of columns.entries()) {
    const top = at < 2 ? headHeight : 0
    const placed = place(column, top).map((line) => ({ ...line, x: at % 2 === 0 ? 0 : width + gutter }))
    ;(pages[Math.floor(at / 2)] ??= []).push(...placed)
  }
  return pages
}

function headLines({ title, lead }: Narrative, width: number, typeset: Typeset): Line[] {
  const titleStyle: Style = { font: 'bold', size: 14 }
  const leadStyle: Style = { font: 'bold', size: 11 }
  const titles = textLines(title, { ...titleStyle, x: 0, width }, typeset)
  const leads = lead === '' ? [] : textLines(lead, { ...leadStyle, x: 10, width: width - 10 }, typeset)
  const [first, ...others] = leads
  const barred = first === undefined ? [] : [{ ...first, bar: heightOf(leads) }, ...others]
  return [...titles, gap(6), ...barred, gap(12)]
}

const unshown = 'The fonts of this page lack some characters: [U+…] holds the number of each in Unicode.'

function noteLines(note: string, width: number, typeset: Typeset): Line[] {
  const style: Style = { font: 'regular', size: 8 }
  return [gap(6), ...textLines(note, { ...style, x: 0, width, isLabel: true }, typeset)]
}

function keptTogether(section: readonly Line[]): readonly Line[] {
  if (section.length > maxKeptSection) return section
  return section.map((line, at) => ({ ...line, staysWithNext: line.staysWithNext || at < section.length - 1 }))
}

function linesOf(
  { heading, rows = [], paragraphs = [] }: Section,
  width: number,
  sizes: Sizes,
  typeset: Typeset,
): Line[] {
  const regular: Style = { font: 'regular', size: sizes.text }
  const headings = heading === '' ? [] : headingLines(heading, width, sizes, typeset)
  const labelWidth = Math.round(width * sizes.label)
  const rowLines = rows.flatMap(([label, value]) => {
    const labels = textLines(label, { ...regular, x: 0, width: labelWidth - 8, isLabel: true }, typeset)
    const values = textLines(value, { ...regular, x: labelWidth, width: width - labelWidth }, typeset)
    const count = Math.max(labels.length, values.length)
    return Array.from({ length: count }, (_, at): Line => {
      const runs = [...(labels[at]?.runs ?? []), ...(values[at]?.runs ?? [])]
      const isLast = at === count - 1
      return { height: sizes.text * leading + (isLast ? 1.5 : 0), runs, staysWithNext: !isLast && count <= maxKept }
    })
  })
  const texts = paragraphs.flatMap((paragraph) => [
    ...textLines(paragraph, { ...regular, x: 0, width }, typeset),
    gap(4),
  ])
  return [...headings, ...rowLines, ...texts]
}

function headingLines(heading: string, width: number, sizes: Sizes, typeset: Typeset): Line[] {
  const style: Style = { font: 'bold', size: sizes.heading }
  const lines = textLines(heading, { ...style, x: 0, width }, typeset)
  // Below the descenders.
  const at = sizes.heading * 1.45
  const ruled = lines.map((line, index) =>
    index === lines.length - 1 ? { ...line, height: line.height + 5, rule: { at, width } } : line,
  )
  return [gap(9), ...ruled].map((line) => ({ ...line, staysWithNext: true }))
}

function gap(height: number): Line {
  return { height, runs: [], staysWithNext: false }
}

interface TextBox extends Style {
  x: number
  width: number
  isLabel?: boolean
}

/** A text in lines that fit. */
function textLines(text: string, { width, ...style }: TextBox, { show, widthOf }: Typeset): Line[] {
  const height = style.size * leading
  const fits = (part: string) => widthOf(part, style) <= width
  return show(text)
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrap(line, fits))
    .map((line) => ({ height, runs: [{ ...style, text: line }], staysWithNext: false }))
}

function heightOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { height }) => sum + height, 0)
}

/** Two columns of about equal height, if all fits into them. */
function balanced(lines: readonly Line[], room: number): Line[][] | undefined {
  for (let height = heightOf(lines) / 2; height <= room; height += 4) {
    const columns = fill(lines, () => ({ height }))
    if (columns.length <= 2) return columns
  }
  const columns = fill(lines, () => ({ height: room }))
  return columns.length <= 2 ? columns : undefined
}

/** Columns of these heights: lines that stay together begin the next one together. */
function fill(lines: readonly Line[], columnAt: (at: number) => { height: number }): Line[][] {
  const columns: Line[][] = [[]]
  let left = columnAt(0).height
  const add = (line: Line) => {
    columns.at(-1)?.push(line)
    left -= line.height
  }
  const next = () => {
    columns.push([])
    left = columnAt(columns.length - 1).height
  }
  for (const unit of unitsOf(lines)) {
    if (heightOf(unit) > left && columns.at(-1)?.length !== 0) next()
    for (const line of unit) {
      if (line.height > left && columns.at(-1)?.length !== 0) next()
      const isGapAtTop = line.runs.length === 0 && columns.at(-1)?.length === 0
      if (!isGapAtTop) add(line)
    }
  }
  return columns
}

function unitsOf(lines: readonly Line[]): Line[][] {
  const units: Line[][] = []
  let isOpen = false
  for (const line of lines) {
    if (isOpen) units.at(-1)?.push(line)
    else units.push([line])
    isOpen = line.staysWithNext
  }
  return units
}

function place(lines: readonly Line[], top: number): PlacedLine[] {
  let y = top
  return lines.map((line) => {
    const placed = { ...line, x: 0, y }
    y += line.height
    return placed
  })
}
