import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { benefitVerificationNarrative } from '../src/narrative/benefit-verification-narrative.ts'
import type { Narrative, Section } from '../src/narrative/narrative.ts'
import { priorAuthorizationNarrative } from '../src/narrative/prior-authorization-narrative.ts'
import { renderPdf } from '../src/narrative/render-pdf.ts'
import { fullBenefitVerification, fullPriorAuthorization } from '../../../test/support/full-samples.ts'
import { readPdf } from '../../../test/support/read-pdf.ts'

const noteOf = (words: string): Narrative => ({
  title: 'A note',
  lead: '',
  sections: [{ heading: '', paragraphs: [words] }],
})

const flat = (text: string) => text.replaceAll(/\s+/g, ' ')

describe('a narrative as a PDF', () => {
  const narratives = [
    ['PA with every field', priorAuthorizationNarrative(fullPriorAuthorization())],
    ['BV with every field', benefitVerificationNarrative(fullBenefitVerification())],
  ] as const

  it.each(narratives)('holds each word of a %s as text, on one page', async (_, narrative) => {
    const { pages } = await readPdf(renderPdf(narrative))
    expect(pages).toHaveLength(1)
    const words = flat(pages[0] ?? '')
    const said = narrative.sections.flatMap(({ heading, rows = [], paragraphs = [] }) => [
      heading,
      ...rows.flat(),
      ...paragraphs,
    ])
    for (const text of [narrative.title, narrative.lead, ...said])
      for (const word of text.split(/\s+/)) expect(words.replaceAll(' ', '')).toContain(word)
    expect(words).toContain('Page 1 of 1')
  })

  it('is the same file each time, at every hour, and tells no time of its own', async () => {
    const [, narrative] = narratives[0]
    const first = renderPdf(narrative)
    expect(Buffer.compare(first, renderPdf(structuredClone(narrative)))).toBe(0)
    expect((await readPdf(first)).info).toMatchObject({ Title: narrative.title })
    expect((await readPdf(first)).info).not.toHaveProperty('CreationDate')
  })

  it('costs nothing until one is wanted: the writer is loaded with the first', async () => {
    const script = `
      import { createRequire } from 'node:module'
      const { fhirEhr } = await import('@pawl/ehr')
      const { renderPdf } = await import('./packages/ehr/src/narrative/render-pdf.ts')
      const { cache } = createRequire(import.meta.url)
      const isLoaded = () => Object.keys(cache).some((path) => path.includes('/pdfkit/'))
      const before = isLoaded()
      renderPdf({ title: 'A note', lead: '', sections: [] })
      console.log(typeof fhirEhr, before, isLoaded())`
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=source',
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      script,
    ])
    expect(stdout).toBe('function false true\n')
  })

  it('stays small', async () => {
    expect(renderPdf(narratives[0][1]).byteLength).toBeLessThan(40_000)
  })

  it('goes on to further pages where it is long, each with the patient and its number', async () => {
    const explanation = 'The plan names criteria that are not met. '.repeat(300)
    const long = fullPriorAuthorization({ denial_reason_analysis: { categories: ['step_therapy'], explanation } })
    const { pages } = await readPdf(renderPdf(priorAuthorizationNarrative(long)))
    expect(pages.length).toBeGreaterThan(2)
    for (const [at, page] of pages.entries()) {
      expect(flat(page)).toContain(`Page ${at + 1} of ${pages.length}`)
      expect(flat(page)).toContain('Testa Sample, born 1970-01-31')
    }
    expect(flat(pages.join(' ')).match(/criteria that/g)?.length).toBeGreaterThan(250)
  })

  it.each<[name: string, section: Partial<Section>]>([
    ['a million characters without a space', { paragraphs: ['x'.repeat(1_000_000)] }],
    ['a million characters that the font lacks', { rows: [['Label', '漢'.repeat(1_000_000)]] }],
    ['a million lines', { paragraphs: ['x\n'.repeat(1_000_000)] }],
    ['a million words in a table', { rows: [['Label', 'word '.repeat(1_000_000)]] }],
  ])('of %s is cut, and says so above its title', async (_, section) => {
    const { pages } = await readPdf(renderPdf({ ...noteOf(''), sections: [{ heading: 'Words', ...section }] }))
    expect(pages.length).toBeLessThanOrEqual(40)
    expect(flat(pages[0] ?? '')).toMatch(/^This document was cut: it holds the first 50,000 characters .* A note/)
  })

  it('of many sections, rows and paragraphs is cut', async () => {
    const rows = Array.from({ length: 20 }, () => ['Label', 'Value'] as const)
    const paragraphs = Array.from({ length: 20 }, () => 'Words')
    const sections = Array.from({ length: 1_000 }, () => ({ heading: 'Heading', rows, paragraphs }))
    const { pages } = await readPdf(renderPdf({ title: 'A note', lead: '', sections }))
    expect(pages.length).toBeLessThanOrEqual(40)
    expect(flat(pages[0] ?? '')).toContain('This document was cut')
  })

  it('shows Latin, Greek and Cyrillic letters and the signs of medicine, and breaks no number from its unit or name', async () => {
    const words = 'Größe Łódź Việt Ελληνικά Кириллица ≥ ≤ ± µg ½ – — “quoted” … • ™ €'
    const { pages } = await readPdf(renderPdf(noteOf(words)))
    expect(flat(pages[0] ?? '').normalize('NFKC')).toContain(words.normalize('NFKC'))
    const wide = await readPdf(renderPdf(noteOf('Exampline 10 mg NDC 0000-0000-01 '.repeat(200))))
    expect(wide.pages.join('\n')).not.toMatch(/(10|NDC)\n/)
  })

  it('has readable stand-ins for what the font lacks, and loses no other character', async () => {
    const { pages } = await readPdf(renderPdf(noteOf('℞ → ☐ ⅓ e\u0301 \u0000\uD800 😀 漢')))
    expect(flat(pages[0] ?? '')).toMatch(/Rx -> \[ \] 1\/3 é +\[U\+1F600\] \[U\+6F22\]/)
    expect(flat(pages[0] ?? '')).toContain('[U+…] holds the number of each in Unicode')
    const plain = await readPdf(renderPdf(noteOf('Plain words')))
    expect(plain.pages[0]).not.toContain('U+')
  })

  it.each(['需要更多資料', 'مطلوب معلومات إضافية', 'נדרש מידע נוסף', '추가 정보', '💊 👍🏽'])(
    'holds each character of %s: by its glyph or its number',
    async (words) => {
      const { pages } = await readPdf(renderPdf(noteOf(words)))
      const shown = flat(pages.join(' ')).replaceAll(/\[U\+([0-9A-F]{4,6})\]/g, (_, code: string) =>
        String.fromCodePoint(Number.parseInt(code, 16)),
      )
      const characters = (text: string) => Array.from(text.normalize('NFC').replaceAll(/\s/g, '')).toSorted()
      expect(characters(shown)).toEqual(expect.arrayContaining(characters(words)))
    },
  )

  it('draws nothing beyond the page, however long a word is', async () => {
    const word = 'x'.repeat(2_000)
    const rows = [[word, word]] as const
    const content = renderPdf({
      title: word,
      lead: word,
      sections: [{ heading: word, rows, paragraphs: [word] }],
    })
    const { pieces } = await readPdf(content)
    expect(pieces.length).toBeGreaterThan(0)
    for (const { right, bottom } of pieces) {
      expect(right).toBeLessThanOrEqual(612)
      expect(bottom).toBeGreaterThan(0)
    }
  })
})
