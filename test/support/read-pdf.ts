import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** A PDF as a library that did not write it reads it: the text of each page, and what it says of itself. */
export async function readPdf(content: Uint8Array) {
  const pdf = await getDocument({ data: Uint8Array.from(content), verbosity: 0 }).promise
  const pages: string[] = []
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent()
    pages.push(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''))
  }
  const { info } = await pdf.getMetadata()
  await pdf.destroy()
  return { pages, info }
}
