import type { IncomingMessage } from 'node:http'
import { PawlError } from '../errors.ts'
import { DeliveryRefused } from './delivery-refused.ts'

/** Something consumed the body before the receiver: its bytes, which the fingerprint and the digest need, are gone. */
export class BodyAlreadyRead extends PawlError {
  readonly code = 'body_already_read'
}

/** Reads the raw body, of at most `maxBytes`. Throws `DeliveryRefused` for a larger or an unfinished one. */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (req.readableDidRead) {
    throw new BodyAlreadyRead('Mount the receiver in front of any body parser: it needs the raw body.')
  }
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw new DeliveryRefused('too_large')
  // The sender left while its token was verified: no event will tell.
  if (req.destroyed) throw new DeliveryRefused('body_incomplete')
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const refuse = (reason: 'too_large' | 'body_incomplete') => {
      req.removeAllListeners('data')
      // What still comes is read and dropped, so that the sender gets to see the answer.
      req.resume()
      reject(new DeliveryRefused(reason))
    }
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) refuse('too_large')
      else chunks.push(chunk)
    })
    req.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size)),
    )
    req.on('error', () => refuse('body_incomplete'))
    req.on('close', () => {
      if (!req.readableEnded) refuse('body_incomplete')
    })
  })
}
