import { isUtf8 } from 'node:buffer'
import { fileTypeFromBuffer } from 'file-type'
import { charsetOf, markedCharset } from '@pawl/base/charset-of'

/** A file of the service. */
export interface DownloadedFile {
  /** The bytes; of a text in UTF-8. */
  content: Uint8Array
  /** Detected from its bytes, else as stated by its host, else `application/octet-stream`; of a text with `charset=utf-8`. */
  contentType: string
}

/** A file with its type, by its bytes and what its host calls it. A text is decoded by its byte order mark or stated charset, else as Windows-1252 if it is not UTF-8. */
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

/** Formats whose files may be plain characters. */
const ofCharacters: ReadonlySet<string> = new Set(['application/pdf', 'application/rtf', 'application/xml'])

/** Two bytes are enough for some formats of the detector: a mark of UTF-16 is an MP1 to it, "BM" a bitmap. */
async function detect(bytes: Uint8Array, isText: boolean): Promise<string | undefined> {
  const mime = (await fileTypeFromBuffer(bytes))?.mime
  return mime === undefined || (isText && !ofCharacters.has(mime)) ? undefined : mime
}

/** Whether it is characters in this charset, without control characters but those of texts. */
function isWords(bytes: Uint8Array, charset: string): boolean {
  try {
    // The first part is enough to know a binary format.
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes.subarray(0, 4096), { stream: true })
    return !/[^\P{Cc}\t\n\f\r]/u.test(text)
  } catch {
    return false
  }
}

/** Whether a type is of text that has a charset. */
function isTextual(contentType: string): boolean {
  return /^text\/(?!rtf$)|[/+](xml|json)$/.test(contentType)
}

/** A media type without its parameters. */
function essenceOf(contentType: string | undefined): string {
  const [essence = ''] = (contentType ?? '').toLowerCase().split(';')
  return /^[\w.+-]+\/[\w.+-]+$/.test(essence.trim()) ? essence.trim() : 'application/octet-stream'
}
