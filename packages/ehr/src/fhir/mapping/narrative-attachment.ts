import { hash } from 'node:crypto'
import type { Attachment } from 'fhir/r4.js'
import type { MappingContext, NarrativeFormat } from './context.ts'
import type { Narrative } from '../../narrative/narrative.ts'
import { renderHtml } from '../../narrative/render-html.ts'
import { renderRtf } from '../../narrative/render-rtf.ts'
import { renderText } from '../../narrative/render-text.ts'
import { renderXhtml } from '../../narrative/render-xhtml.ts'

const renderers: Record<Exclude<NarrativeFormat, 'application/pdf'>, (narrative: Narrative) => string> = {
  'text/plain': renderText,
  'application/xhtml+xml': renderXhtml,
  'text/html': renderHtml,
  'text/rtf': renderRtf,
  'application/rtf': renderRtf,
}

/** A narrative as an attachment in each of the chart's formats. */
export function narrativeAttachments(
  { documents, writePdf }: MappingContext,
  narrative: Narrative,
): Promise<Attachment[]> {
  return Promise.all(
    documents.formats.map(async (format) => {
      const content =
        format === 'application/pdf' ? await writePdf(narrative) : Buffer.from(renderers[format](narrative))
      return attachmentOf(content, format, narrative.title)
    }),
  )
}

/** A file's content as an attachment, with the size and SHA-1 that FHIR allows to verify it. */
export function attachmentOf(content: Uint8Array, contentType: string, title: string): Attachment {
  return {
    contentType,
    data: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64'),
    size: content.byteLength,
    hash: hash('sha1', content, 'base64'),
    title,
  }
}
