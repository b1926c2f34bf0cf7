import { MIMEType } from 'node:util'

/** The charset of a text, such as `utf-8`: from its byte order mark, else from its Content-Type. Undefined if neither names one that Node.js decodes. */
export function charsetOf(text: Uint8Array, contentType: string | null | undefined): string | undefined {
  return markedCharset(text) ?? statedCharset(contentType)
}

/** The charset of the byte order mark that a text begins with; undefined without one. */
export function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

function statedCharset(contentType: string | null | undefined): string | undefined {
  if (contentType?.toLowerCase().includes('charset') !== true) return undefined
  try {
    const charset = new MIMEType(contentType).params.get('charset')
    return charset === null ? undefined : new TextDecoder(charset).encoding
  } catch {
    // An invalid media type, or an unknown charset.
    return undefined
  }
}
