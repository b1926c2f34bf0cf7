import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** The body has more bytes than allowed, as it came or once decoded, or a content coding that pawl does not know. Never quotes the other side. */
export class BodyRefused extends Error {
  readonly fault: 'size' | 'coding'
  constructor(fault: 'size' | 'coding', message: string) {
    super(message)
    this.fault = fault
  }
}

/** The codings of RFC 9110 (8.4.1) and RFC 7932. Node.js 20 has no zstd. */
const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/**
 * The whole body, decoded as its Content-Encoding says: a server may compress without being asked (RFC 9110, 12.5.3). Counted while it streams, so that
 * a small body cannot grow large. Throws `BodyRefused`, and the errors of the stream and of the decoder.
 */
export async function readBodyBytes(
  body: Readable,
  coding: string | null | undefined,
  maxBytes: number,
): Promise<Buffer> {
  // The loop throws them, too; without a listener, those of a body that is given up would end the process.
  body.on('error', () => {})
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // The compiler cannot see that a stream without encoding yields buffers.
    for await (const chunk of decoded(body, coding) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new BodyRefused('size', `has more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
  } finally {
    body.destroy()
  }
  return Buffer.concat(chunks)
}

function decoded(body: Readable, coding: string | null | undefined): Readable {
  const [named = 'identity', ...others] = (coding ?? '')
    .toLowerCase()
    .split(',')
    .flatMap((each) => each.trim() || [])
  if (named === 'identity' && others.length === 0) return body
  const createDecoder = decoders.get(named)
  // Several codings in turn are a way to hide a large body, and no server needs them.
  if (createDecoder === undefined || others.length > 0)
    throw new BodyRefused('coding', 'has a content coding other than gzip, deflate or br')
  // The loop throws the errors.
  return pipeline(body, createDecoder(), () => {})
}
