import type { DocumentSource } from '../documents/subject-document.ts'
import type { PdfWriter } from '../narrative/pdf-writer.ts'
import { renderText } from '../narrative/render-text.ts'
import type { Charset, Content } from './settings.ts'
import { fitText } from './fit-text.ts'

/** The values of OBX-5 with their type in OBX-2, and the presentation in TXA-3 (HL7 table 0191). */
export type DocumentContent =
  | { type: 'TX'; presentation: 'TX'; lines: readonly string[] }
  | { type: 'FT'; presentation: 'FT'; lines: readonly string[] }
  | { type: 'ED'; presentation: 'AP'; contentType: string; base64: string }

/** A document in the form that the settings demand. */
export async function contentOf(
  source: DocumentSource,
  { form, charset, writePdf }: { form: Content; charset: Charset; writePdf: PdfWriter['write'] },
): Promise<DocumentContent> {
  if ('bytes' in source) return encapsulated(source.contentType, source.bytes)
  if (form === 'PDF') return encapsulated('application/pdf', await writePdf(source.narrative))
  const lines = fitText(renderText(source.narrative), charset)
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
  return form === 'TX' ? { type: 'TX', presentation: 'TX', lines } : { type: 'FT', presentation: 'FT', lines }
}

function encapsulated(contentType: string, bytes: Uint8Array): DocumentContent {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return { type: 'ED', presentation: 'AP', contentType, base64 }
}
