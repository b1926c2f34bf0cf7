import { fileTypeFromBuffer } from 'file-type'

/** The file formats that the service names (specification, Card and evidence file rules). */
export type FileFormat = 'jpeg' | 'png' | 'tiff' | 'bmp' | 'heic' | 'heif' | 'pdf'

/** What may be an insurance card; a PDF of one page only. */
export const cardFormats: ReadonlySet<FileFormat> = new Set(['jpeg', 'png', 'tiff', 'bmp', 'heic', 'pdf'])

/** What may be evidence. */
export const evidenceFormats: ReadonlySet<FileFormat> = new Set(['pdf', 'jpeg', 'png', 'heic', 'heif'])

/** The decoded file of a card must have fewer bytes than this. */
export const cardBytesLimit = 4_194_304

/** The media types of each format; an animated PNG is a PNG. */
const formats: Partial<Record<string, FileFormat>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/apng': 'png',
  'image/tiff': 'tiff',
  // Recognized by two tags that a scan may also begin with.
  'image/x-nikon-nef': 'tiff',
  'image/bmp': 'bmp',
  'image/heif': 'heif',
  'image/heif-sequence': 'heif',
  'application/pdf': 'pdf',
}

const heicBrands = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis'])

/** The format of a file by its content; undefined for any other format. A file of a generic brand is HEIC if it declares that an HEIC reader can read it. */
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

/** How many pages a PDF shows openly. 0 where its page objects are compressed: then nobody can tell without reading the whole of it. */
export function visiblePdfPages(file: Uint8Array): number {
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1')
  return text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0
}
