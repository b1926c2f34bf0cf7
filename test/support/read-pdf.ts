import { getDocumentProxy } from 'unpdf'

interface Text {
  str: string
  hasEOL: boolean
  transform: [number, number, number, number, x: number, y: number]
  width: number
}

/** A PDF as a library that did not write it reads it: the text of each page, where its pieces end, and what it says of itself. */
export async function readPdf(content: Uint8Array) {
  const pdf = await getDocumentProxy(Uint8Array.from(content), { verbosity: 0 })
  const pages: string[] = []
  const pieces: { right: number; bottom: number }[] = []
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent()
    // The types of PDF.js are no part of the package; the others of its items mark up text.
    const texts = (items as Text[]).filter((item) => 'str' in item)
    pages.push(texts.map(({ str, hasEOL }) => str + (hasEOL ? '\n' : '')).join(''))
    pieces.push(...texts.map(({ transform, width }) => ({ right: transform[4] + width, bottom: transform[5] })))
  }
  const { info } = await pdf.getMetadata()
  await pdf.destroy()
  return { pages, pieces, info }
}
