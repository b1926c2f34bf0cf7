import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { BodyRefused, readBounded } from './read-bounded.ts'

/** The codings of RFC 9110 (8.4.1) and RFC 7932. Node.js 20 has no zstd. */
const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/**
 * Reads the whole body, decoded by its Content-Encoding: a server may compress unasked (RFC 9110, 12.5.3). Counts bytes while decoding, so that
 * a small body cannot grow large. Throws `BodyRefused`, and the errors of the stream and of the decoder.
 */
export async function readBodyBytes(
  body: Readable,
  coding: string | null | undefined,
  maxBytes: number,
): Promise<Buffer> {
  // The loop throws these errors too. Without a listener, the errors of an abandoned body would end the process.
  body.on('error', () => {})
  try {
    return await readBounded(decoded(body, coding), maxBytes)
  } finally {
    body.destroy()
  }
}

function decoded(body: Readable, coding: string | null | undefined): Readable {
  const [named = 'identity', ...others] = (coding ?? '')
    .toLowerCase()
    .split(',')
    .flatMap((each) => each.trim() || [])
  if (named === 'identity' && others.length === 0) return body
  const createDecoder = decoders.get(named)
  // Stacked codings can hide a large body, and servers do not need them.
  if (createDecoder === undefined || others.length > 0)
    throw new BodyRefused('coding', 'has a content coding other than gzip, deflate or br')
  // The loop throws the errors.
  return pipeline(body, createDecoder(), () => {})
}
