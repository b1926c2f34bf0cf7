/** The kinds of file that the service speaks of (specification, Card and evidence file rules). */
export type FileFormat = 'jpeg' | 'png' | 'tiff' | 'bmp' | 'heic' | 'heif' | 'pdf'

/** What may be an insurance card; a PDF of one page only. */
export const cardFormats: ReadonlySet<FileFormat> = new Set(['jpeg', 'png', 'tiff', 'bmp', 'heic', 'pdf'])

/** What may be evidence. */
export const evidenceFormats: ReadonlySet<FileFormat> = new Set(['pdf', 'jpeg', 'png', 'heic', 'heif'])

/** A card's decoded file has fewer bytes than this. */
export const cardBytesLimit = 4_194_304

const heicBrands = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis'])
const heifBrands = new Set(['mif1', 'msf1'])

/** The format of a file by its first bytes; undefined for any other. */
export function formatOf(file: Uint8Array): FileFormat | undefined {
  const start = Buffer.from(file.buffer, file.byteOffset, Math.min(file.byteLength, 64)).toString('latin1')
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return 'tiff'
  if (start.startsWith('%PDF-')) return 'pdf'
  if (start.startsWith('BM')) return 'bmp'
  return start.slice(4, 8) === 'ftyp' ? formatOfBrands(file, start) : undefined
}

/** The generic brand is HEIC all the same where the file declares that an HEIC reader can read it. */
function formatOfBrands(file: Uint8Array, start: string): FileFormat | undefined {
  const major = start.slice(8, 12)
  if (heicBrands.has(major)) return 'heic'
  if (!heifBrands.has(major)) return undefined
  const boxEnd = Buffer.from(file.buffer, file.byteOffset, 4).readUInt32BE()
  const compatible = start.slice(16, boxEnd).match(/[^]{4}/g) ?? []
  return compatible.some((brand) => heicBrands.has(brand)) ? 'heic' : 'heif'
}

/** How many pages a PDF shows openly. 0 where its page objects are compressed: then nobody can tell without reading the whole of it. */
export function visiblePdfPages(file: Uint8Array): number {
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1')
  return text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0
}
