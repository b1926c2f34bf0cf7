import { fileTypeFromBuffer } from 'file-type'

/** The file formats that the service names (specification, Card and evidence file rules). */
export type FileFormat = 'jpeg' | 'png' | 'tiff' | 'bmp' | 'heic' | 'heif' | 'pdf'

/** Formats of insurance cards; a PDF may have only one page. */
export const cardFormats: ReadonlySet<FileFormat> = new Set(['jpeg', 'png', 'tiff', 'bmp', 'heic', 'pdf'])

/** Formats of evidence. */
export const evidenceFormats: ReadonlySet<FileFormat> = new Set(['pdf', 'jpeg', 'png', 'heic', 'heif'])

/** The decoded file of a card must have fewer bytes than this. */
export const cardBytesLimit = 4_194_304

/** The media types of each format; an animated PNG is a PNG. */
const formats: Partial<Record<string, FileFormat>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/apng': 'png',
  'image/tiff': 'tiff',
  // The detector matches two tags that a scan may also begin with.
  'image/x-nikon-nef': 'tiff',
  'image/bmp': 'bmp',
  'image/heif': 'heif',
  'image/heif-sequence': 'heif',
  'application/pdf': 'pdf',
}

const heicBrands = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis'])

/** The format of a file by its content; undefined for any other format. A file of a generic brand is HEIC if it declares a compatible HEIC brand. */
export async function formatOf(file: Uint8Array): Promise<FileFormat | undefined> {
  if (brandsOf(file).some((brand) => heicBrands.has(brand))) return 'heic'
  const found = await fileTypeFromBuffer(file)
  return found && formats[found.mime]
}

/** The major and compatible brands of an ISO media file; none for any other file. */
function brandsOf(file: Uint8Array): string[] {
  const start = Buffer.from(file.buffer, file.byteOffset, Math.min(file.byteLength, 64))
  if (start.toString('latin1', 4, 8) !== 'ftyp') return []
  const compatible = start.toString('latin1', 16, start.readUInt32BE())
  return [start.toString('latin1', 8, 12), ...(compatible.match(/[^]{4}/g) ?? [])]
}

/**
 * Number of pages of a PDF, by the newest page tree. Incremental saves append changed objects, so the last of several objects with
 * one number counts. The result is 0 if the page objects are compressed, which only a PDF reader can count.
 */
export function visiblePdfPages(file: Uint8Array): number {
  const text = withoutStreams(Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1'))
  const objects = pdfObjects(text)
  const catalog = [...objects.values()].findLast((object) => /\/Type\s*\/Catalog(?![A-Za-z])/.test(object))
  const root = objects.get(/\/Pages\s+(\d{1,10})\s/.exec(catalog ?? '')?.[1] ?? '')
  const [, count, isReference] = /\/Count\s+(\d{1,10})(\s+\d{1,5}\s+R)?/.exec(root ?? '') ?? []
  const total = isReference === undefined ? count : /\d+/.exec(objects.get(count ?? '') ?? '')?.[0]
  if (total !== undefined) return Number(total)
  // Without a readable tree, count the page objects.
  return (
    [...(objects.size > 0 ? objects.values() : [text])].join('\n').match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0
  )
}

/** The text of each object by its number, in its newest version. */
function pdfObjects(text: string): Map<string, string> {
  const headers = [...text.matchAll(/(?<!\d)(\d{1,10})\s{1,8}\d{1,5}\s{1,8}obj(?![a-z])/g)]
  const objects = new Map<string, string>()
  headers.forEach((header, index) => {
    const [start, number = ''] = header
    // Delete first, so that the order is that of the last save.
    objects.delete(number)
    objects.set(number, text.slice(header.index + start.length, headers[index + 1]?.index))
  })
  return objects
}

/** Drops streams: their bytes are content, even if they look like objects. */
function withoutStreams(text: string): string {
  const parts: string[] = []
  let from = 0
  for (const { index } of text.matchAll(/(?<!end)stream(?=\r?\n)/g)) {
    if (index < from) continue
    const end = text.indexOf('endstream', index)
    if (end === -1) break
    parts.push(text.slice(from, index))
    from = end
  }
  return [...parts, text.slice(from)].join('')
}
