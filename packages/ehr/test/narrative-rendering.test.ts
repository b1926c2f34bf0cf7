import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Fhir } from 'fhir'
import { deEncapsulateSync } from 'rtf-stream-parser'
import { describe, expect, it } from 'vitest'
import type { Narrative } from '../src/narrative/narrative.ts'
import { renderHtml } from '../src/narrative/render-html.ts'
import { renderRtf } from '../src/narrative/render-rtf.ts'
import { renderText } from '../src/narrative/render-text.ts'
import { renderXhtml } from '../src/narrative/render-xhtml.ts'
import { needs } from '../../../test/support/needs.ts'

/** Reads XML strictly: throws unless it is well-formed. */
function parseXml(xhtml: string): void {
  const root = xhtml.replace(/^<\?xml[^>]*\?>\s*<!DOCTYPE html>/, '')
  new Fhir().xmlToObj(`<Basic xmlns="http://hl7.org/fhir"><text><status value="generated"/>${root}</text></Basic>`)
}

/** Rich Text as another library reads it. */
function readRtf(rtf: string): string {
  // It reads text alone where the text says that it was text.
  const { text } = deEncapsulateSync(rtf.replace('\\ansi', '\\ansi\\fromtext'), {
    decode: (content) => content.toString('latin1'),
    mode: 'text',
  })
  return String(text).replaceAll('\r\n', '\n')
}

describe('a narrative', () => {
  const hostile = `<script>alert("1")</script> & 'quotes' \u0000\u0008\uFFFE ]]> \uD800`
  const narrative: Narrative = {
    title: hostile,
    lead: hostile,
    sections: [
      { heading: hostile, rows: [[hostile, `${hostile}\nsecond line`]] },
      { heading: 'Words', paragraphs: [hostile, 'Grüße 😀'] },
    ],
  }

  it('is escaped in XHTML, which is well-formed with any text', () => {
    const xhtml = renderXhtml(narrative)
    expect(xhtml).not.toContain('<script')
    expect(xhtml).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;quotes&#39;')
    expect(xhtml).toContain('Grüße 😀')
    expect(xhtml).not.toMatch(/[\0\b\uFFFE]/)
    expect(() => parseXml(xhtml)).not.toThrow()
    expect(() => parseXml(xhtml.replace('</h1>', ''))).toThrow(/./)
  })

  it('keeps its words in plain text, without control characters', () => {
    const plain = renderText(narrative)
    expect(plain).toContain(`<script>alert("1")</script> & 'quotes'`)
    expect(plain).not.toMatch(/[\0\b\uFFFE]/)
  })

  it('says the same as HTML, as a document of its own', () => {
    const html = renderHtml(narrative)
    expect(html).toMatch(/^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="UTF-8"\/>/)
    expect(html).not.toMatch(/<script|xmlns|<\?xml/)
    const body = (page: string) => page.slice(page.indexOf('<head>'))
    expect(body(html)).toBe(body(renderXhtml(narrative)))
  })

  it('keeps every character in Rich Text, which is ASCII and holds no commands of others', () => {
    const hostileRtf = String.raw`{\b bold} \par C:\dir {\*\fldinst x}`
    const characters = 'Größe Łódź Ω Ж “quoted” – € 漢字 \uFFFD \u8000 😀 𝒳 ~'
    const rtf = renderRtf({
      title: hostileRtf,
      lead: characters,
      sections: [
        { heading: 'Heading', rows: [['Label', `${characters}\nsecond\tline`]], paragraphs: [hostileRtf, hostile] },
      ],
    })
    expect(rtf).toMatch(/^[\n\x20-\x7e]+$/)
    const lines = readRtf(rtf).split('\n')
    for (const line of [hostileRtf, characters, 'Heading', `Label:\t${characters}`, 'second\tline'])
      expect(lines.some((each) => each.endsWith(line))).toBe(true)
    expect(readRtf(rtf)).toContain(`<script>alert("1")</script> & 'quotes'`)
  })
})

const unrtf = needs('unrtf')

describe.skipIf(unrtf === undefined)('Rich Text, read by unrtf', () => {
  /** The page that it makes of the text, as words. It names letters by entities, and each UTF-16 unit by its number. */
  async function read(rtf: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-rtf-'))
    try {
      await writeFile(join(folder, 'document.rtf'), rtf)
      const { stdout } = await promisify(execFile)(unrtf ?? '', ['--html', join(folder, 'document.rtf')])
      const words = stdout
        .slice(stdout.indexOf('<body>'))
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/&#(\d+);/g, (_, unit: string) => String.fromCharCode(Number(unit)))
        .replaceAll(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity)
      return words.replaceAll(/\s+/g, ' ')
    } finally {
      await rm(folder, { recursive: true })
    }
  }
  const entities: Partial<Record<string, string>> = {
    lt: '<',
    gt: '>',
    amp: '&',
    nbsp: ' ',
    ouml: 'ö',
    szlig: 'ß',
    oacute: 'ó',
    Omega: 'Ω',
    euro: '€',
    ldquo: '“',
    rdquo: '”',
    ndash: '–',
  }

  it('has each word, beside any characters', async () => {
    const characters = 'Größe Łódź Ω Ж “quoted” – € 漢字 😀 ~ {braces} \\back <b> & end'
    const rows = [['Label', `${characters}\nsecond line`]] as const
    const words = await read(
      renderRtf({
        title: 'Title',
        lead: characters,
        sections: [{ heading: 'Heading', rows, paragraphs: [characters] }],
      }),
    )
    expect(words.split(characters)).toHaveLength(4)
    for (const each of ['Title', 'Heading', 'Label:', 'second line']) expect(words).toContain(each)
  })
})
