import { type FileHandle, open } from 'node:fs/promises'
import { PawlError } from '@pawl/base/errors'
import {
  cardBytesLimit,
  cardFormats,
  evidenceFormats,
  type FileFormat,
  formatOf,
  visiblePdfPages,
} from '../schemas/file-format.ts'

/** The file breaks the service's rules and was not sent. The error omits its path and content: file names may name patients. */
export class FileUnusable extends PawlError {
  readonly code = 'file_unusable'
  override readonly reason: 'not_a_file' | 'empty' | 'too_large' | 'format' | 'pages'
  constructor(reason: FileUnusable['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** One side of an insurance card for `insurance`: JPEG, PNG, TIFF, BMP, HEIC or a one-page PDF, below 4,194,304 bytes (specification, Card and evidence file rules). Throws FileUnusable, and the system's error when the file cannot be read. */
export async function readCardFile(path: string): Promise<{ file_content: string }> {
  const file = await readFileBelow(path, cardBytesLimit)
  const format = await requireFormat(file, cardFormats, 'an insurance card')
  if (format === 'pdf' && visiblePdfPages(file) > 1) {
    throw new FileUnusable('pages', 'A card as PDF may have one page only; send each side as an item of its own.')
  }
  return { file_content: file.toString('base64') }
}

/** A file for the `asset` of a piece of evidence: PDF, JPEG, PNG, HEIC or HEIF (specification, Card and evidence file rules). Throws FileUnusable, and the system's error when the file cannot be read. */
export async function readEvidenceFile(path: string): Promise<{ file_content: string }> {
  const file = await readFileBelow(path, Number.POSITIVE_INFINITY)
  await requireFormat(file, evidenceFormats, 'evidence')
  return { file_content: file.toString('base64') }
}

/** Checks the size before reading, so that a large file never fills the memory. */
async function readFileBelow(path: string, bytesLimit: number): Promise<Buffer> {
  const handle: FileHandle = await open(path)
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new FileUnusable('not_a_file', 'The path does not lead to a file.')
    if (stat.size === 0) throw new FileUnusable('empty', 'The file is empty.')
    if (stat.size >= bytesLimit) {
      throw new FileUnusable('too_large', `The file has ${stat.size} bytes; it must have fewer than ${bytesLimit}.`)
    }
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

async function requireFormat(file: Buffer, allowed: ReadonlySet<FileFormat>, purpose: string): Promise<FileFormat> {
  const format = await formatOf(file)
  if (format !== undefined && allowed.has(format)) return format
  const found = format === undefined ? 'of an unknown format' : format.toUpperCase()
  throw new FileUnusable('format', `The file is ${found}; ${purpose} must be one of ${[...allowed].join(', ')}.`)
}
