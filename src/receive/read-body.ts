import type { IncomingMessage } from 'node:http'
import { PawlError } from '@pawl/base/errors'
import { DeliveryRefused } from 'pawl-client/verify/delivery-refused'
import { DeliveryShed } from './pressure.ts'

/** A body parser consumed the body before the receiver could. The fingerprint and the digest need its bytes. */
class BodyAlreadyRead extends PawlError {
  readonly code = 'body_already_read'
}

export interface BodyLimits {
  maxBytes: number
  /** Time limit of the whole body, in milliseconds. */
  timeoutMs: number
  /** Counts bytes as they arrive; false if there is no room. */
  reserve(bytes: number): boolean
}

/** Reads the raw body. Throws `DeliveryRefused` if it is too large, too slow or incomplete, `DeliveryShed` if there is no room. */
export function readBody(req: IncomingMessage, { maxBytes, timeoutMs, reserve }: BodyLimits): Promise<Buffer> {
  if (req.readableDidRead) {
    throw new BodyAlreadyRead('Mount the receiver in front of any body parser: it needs the raw body.')
  }
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw new DeliveryRefused('too_large')
  // The sender disconnected while its token was verified: no event follows.
  if (req.destroyed) throw new DeliveryRefused('body_incomplete')
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const fail = (error: Error) => {
      clearTimeout(timer)
      req.removeAllListeners('data')
      // Drains the rest, so that the sender sees the answer.
      req.resume()
      reject(error)
    }
    const timer = setTimeout(() => fail(new DeliveryRefused('body_too_slow')), timeoutMs)
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) fail(new DeliveryRefused('too_large'))
      else if (!reserve(chunk.length)) fail(new DeliveryShed('too_many_in_flight'))
      else chunks.push(chunk)
    })
    req.on('end', () => {
      clearTimeout(timer)
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size))
    })
    req.on('error', () => fail(new DeliveryRefused('body_incomplete')))
    req.on('close', () => {
      if (!req.readableEnded) fail(new DeliveryRefused('body_incomplete'))
    })
  })
}
