import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type PDFDocument from 'pdfkit'
import { assertInstalled, pdfPackages } from '@pawl/base/optional-packages'
import { byNumber } from '../primitives.ts'
import { cutNarrative } from './cut-narrative.ts'
import type { Narrative } from './narrative.ts'
import { layOut, type Line, type Style, type TextRun, type Typeset } from './pdf-layout.ts'
import { printable } from './render-text.ts'

/** US Letter, in points. */
const page = { width: 612, height: 792, margin: 50, footer: 26 }
const body = { width: page.width - 2 * page.margin, height: page.height - 2 * page.margin - page.footer }

const colours = { text: '#1a1a1a', label: '#4a4a4a', rule: '#8c8c8c' }

/** Bounds of a document, which then takes up to three seconds of CPU. */
const maxCharacters = 50_000
const maxPages = 40
const cutNotice = `This document was cut: it holds the first ${maxCharacters.toLocaleString('en-US')} characters on ${maxPages} pages at most. Read the rest at the service.`

/**
 * A narrative as a PDF with embedded fonts and selectable text, on one page unless it is long. Equal narratives yield equal bytes: nothing in
 * it depends on the clock. A long one is cut, and says so. Takes about 50 ms of CPU, a long one seconds: a process that answers deliveries leaves it to `createPdfWriter`. Loads the `pdfPackages` on first use, and throws `PackageMissing` without them.
 */
export function renderPdf(whole: Narrative): Uint8Array {
  const { narrative, isCut } = cutNarrative(whole, maxCharacters)
  loaded ??= load()
  const { regular, bold } = loaded
  const document = new loaded.PDFDocument({
    autoFirstPage: false,
    bufferPages: true,
    size: [page.width, page.height],
    margin: 0,
    lang: 'en-US',
    displayTitle: true,
    // The file's id is derived from these.
    info: { Title: printable(narrative.title), Creator: 'pawl', CreationDate: new Date(0) },
  })
  // pdfkit needs a date; hidden, it is not written.
  Object.defineProperty(document.info, 'CreationDate', { enumerable: false })
  document.registerFont('regular', regular).registerFont('bold', bold)
  const { show, hasUnshown } = createShow(glyphsOf(document.font('regular')))
  const typeset: Typeset = {
    show,
    widthOf: (text, { font, size }) => document.font(font).fontSize(size).widthOfString(text),
  }
  const uncut = isCut ? [] : layOut(narrative, body, typeset, { hasUnshown })
  const pages =
    isCut || uncut.length > maxPages
      ? layOut(narrative, body, typeset, { hasUnshown, notice: cutNotice }).slice(0, maxPages)
      : uncut
  for (const [at, lines] of pages.entries()) {
    document.addPage()
    for (const line of lines) draw(document, line)
    const number = `Page ${at + 1} of ${pages.length}`
    const footer: Style = { font: 'regular', size: 8 }
    const y = page.height - page.margin - footer.size
    const width = typeset.widthOf(number, footer)
    write(document, { ...footer, text: number, x: page.width - page.margin - width, isLabel: true }, y)
    const patient = show(narrative.patient ?? '')
    if (patient !== '') write(document, { ...footer, text: patient, x: page.margin, isLabel: true }, y)
  }
  document.end()
  const content: unknown = document.read()
  if (!(content instanceof Uint8Array)) throw new TypeError('pdfkit did not end its document.')
  return content
}

function draw(document: PDFKit.PDFDocument, { x, y, runs, rule, bar }: Line & { x: number; y: number }): void {
  const left = page.margin + x
  const top = page.margin + y
  if (bar !== undefined) document.rect(left, top + 2, 3, bar).fill(colours.rule)
  if (rule !== undefined) {
    const at = top + rule.at
    document
      .moveTo(left, at)
      .lineTo(left + rule.width, at)
      .lineWidth(0.5)
      .stroke(colours.rule)
  }
  for (const run of runs) write(document, { ...run, x: left + run.x }, top)
}

function write(document: PDFKit.PDFDocument, { text, x, font, size, isLabel = false }: TextRun, y: number): void {
  document
    .font(font)
    .fontSize(size)
    .fillColor(isLabel ? colours.label : colours.text)
  document.text(text, x, y, { lineBreak: false })
}

interface Loaded {
  PDFDocument: typeof PDFDocument
  regular: Buffer
  bold: Buffer
}

let loaded: Loaded | undefined

/** Only once a PDF is wanted: the packages take time to start and memory to keep. */
function load(): Loaded {
  assertInstalled('application/pdf', pdfPackages)
  const require = createRequire(import.meta.url)
  const font = (name: 'Regular' | 'Bold') =>
    readFileSync(require.resolve(`open-sans-fonts/open-sans/${name}/OpenSans-${name}.ttf`))
  // The compiler cannot see the type of a required package.
  const writer = require('pdfkit') as typeof PDFDocument
  return { PDFDocument: writer, regular: font('Regular'), bold: font('Bold') }
}

type HasGlyph = (codePoint: number) => boolean

/** Which characters the current font of the document shows. */
function glyphsOf(document: PDFKit.PDFDocument): HasGlyph {
  // The types of pdfkit leave out the opened font (fontkit's `Font`).
  const { _font: current } = document as unknown as { _font: { font: { hasGlyphForCodePoint: HasGlyph } } }
  return (codePoint) => current.font.hasGlyphForCodePoint(codePoint)
}

/** Readable stand-ins for characters that the font lacks. */
const standIns: Readonly<Record<string, string>> = {
  '→': '->',
  '←': '<-',
  '↔': '<->',
  '⇒': '=>',
  '℞': 'Rx',
  '✓': '√',
  '✔': '√',
  '☐': '[ ]',
  '☑': '[x]',
  '☒': '[x]',
  '≦': '≤',
  '≧': '≥',
  '⁄': '/',
}

/** Text in the glyphs of a font: composed, with stand-ins, and the rest by number, so that none is lost. */
function createShow(hasGlyph: HasGlyph): { show: (text: string) => string; hasUnshown: () => boolean } {
  let isAny = false
  const has = (text: string) => Array.from(text).every((each) => each === '\n' || hasGlyph(each.codePointAt(0) ?? 0))
  const shownAs = (character: string): string => {
    if (has(character)) return character
    const other = standIns[character] ?? character.normalize('NFKC')
    const plain = other.replaceAll(/[^]/gu, (each) => standIns[each] ?? each)
    if (has(plain)) return plain
    // Marks that shape their neighbours show nothing themselves.
    if (/^[\p{Cf}\p{Variation_Selector}]$/u.test(character)) return ''
    isAny = true
    return byNumber(character)
  }
  return {
    show: (text) => printable(text).normalize('NFC').replaceAll('\t', ' ').replaceAll(/[^]/gu, shownAs),
    hasUnshown: () => isAny,
  }
}
