import { fileTypeFromBuffer } from 'file-type'

/** The kinds of file that the service speaks of (specification, Card and evidence file rules). */
export type FileFormat = 'jpeg' | 'png' | 'tiff' | 'bmp' | 'heic' | 'heif' | 'pdf'

/** What may be an insurance card; a PDF of one page only. */
export const cardFormats: ReadonlySet<FileFormat> = new Set(['jpeg', 'png', 'tiff', 'bmp', 'heic', 'pdf'])

/** What may be evidence. */
export const evidenceFormats: ReadonlySet<FileFormat> = new Set(['pdf', 'jpeg', 'png', 'heic', 'heif'])

/** A card's decoded file has fewer bytes than this. */
export const cardBytesLimit = 4_194_304

/** The media types that stand for each format; an animated PNG is a PNG. */
const formats: Partial<Record<string, FileFormat>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/apng': 'png',
  'image/tiff': 'tiff',
  // Told apart by its first two tags, which a scan may have as well.
  'image/x-nikon-nef': 'tiff',
  'image/bmp': 'bmp',
  'image/heif': 'heif',
  'image/heif-sequence': 'heif',
  'application/pdf': 'pdf',
}

const heicBrands = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis'])

/** The format of a file by its content; undefined for any other. A file of a generic brand is HEIC where it declares that an HEIC reader can read it. */
export async function formatOf(file: Uint8Array): Promise<FileFormat | undefined> {
  if (brandsOf(file).some((brand) => heicBrands.has(brand))) return 'heic'
  const found = await fileTypeFromBuffer(file)
  return found && formats[found.mime]
}

/** The major brand and the compatible ones of a file in the ISO format; none of any other. */
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
