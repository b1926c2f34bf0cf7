import { isUtf8 } from 'node:buffer'
import { charsetOf, markedCharset } from '@pawl/base/charset-of'

/** A file of the service. */
export interface DownloadedFile {
  /** The file's bytes; a text is converted to UTF-8. */
  content: Uint8Array
  /** The media type: detected from the bytes, else stated by the host, else `application/octet-stream`. For a text, with `charset=utf-8`. */
  contentType: string
}

/** A file with its type, from its bytes and the host's Content-Type. A text is decoded by its byte order mark or stated charset, else as UTF-8 or, failing that, Windows-1252. */
export async function typedFile(bytes: Uint8Array, stated: string | undefined): Promise<DownloadedFile> {
  const called = essenceOf(stated)
  const charset = charsetOf(bytes, stated) ?? 'utf-8'
  const isText = isWords(bytes, charset)
  const isMarked = isText && markedCharset(bytes) !== undefined
  const found = await detect(bytes, isText)
  const contentType = found ?? (isMarked && !isTextual(called) ? 'text/plain' : called)
  if (!isTextual(contentType)) return { content: bytes, contentType }
  const used = charset === 'utf-8' && !isUtf8(bytes) ? 'windows-1252' : charset
  return { content: Buffer.from(new TextDecoder(used).decode(bytes)), contentType: `${contentType}; charset=utf-8` }
}

/** Formats that the detector may find in plain text. */
const ofCharacters: ReadonlySet<string> = new Set(['application/pdf', 'application/rtf', 'application/xml'])

/** Some formats match on two bytes: the detector takes a UTF-16 mark for an MP1, and "BM" for a bitmap. */
async function detect(bytes: Uint8Array, isText: boolean): Promise<string | undefined> {
  // Loaded with the first file: a process may never see one.
  const { fileTypeFromBuffer } = await import('file-type')
  const mime = (await fileTypeFromBuffer(bytes))?.mime
  return mime === undefined || (isText && !ofCharacters.has(mime)) ? undefined : mime
}

/** Whether the bytes are text in this charset, without control characters other than tabs and line breaks. */
function isWords(bytes: Uint8Array, charset: string): boolean {
  try {
    // The first part is enough to recognise a binary format.
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes.subarray(0, 4096), { stream: true })
    return !/[^\P{Cc}\t\n\f\r]/u.test(text)
  } catch {
    return false
  }
}

/** Whether a media type is text that has a charset. */
function isTextual(contentType: string): boolean {
  return /^text\/(?!rtf$)|[/+](xml|json)$/.test(contentType)
}

/** A media type without its parameters. */
function essenceOf(contentType: string | undefined): string {
  const [essence = ''] = (contentType ?? '').toLowerCase().split(';')
  return /^[\w.+-]+\/[\w.+-]+$/.test(essence.trim()) ? essence.trim() : 'application/octet-stream'
}
