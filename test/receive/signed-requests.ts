import { createHash, createHmac } from 'node:crypto'
import { type Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { envelope, signToken, webhookSecret } from '../support/webhook.ts'

/** A good envelope's bytes. */
export const goodBody = JSON.stringify(envelope({ id: 'pa_req_1', status: 'processing' }))

export interface Answer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: unknown
}

/** A request with exactly these headers, signed rightly unless they say otherwise (`undefined` leaves one out); without a content length it goes in chunks. */
export async function post(
  url: string,
  body: string | Buffer,
  headers: OutgoingHttpHeaders = {},
  options: { method?: string; agent?: Agent; chunked?: boolean; path?: string } = {},
): Promise<Answer> {
  const all: OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'x-webhook-secret': await signToken(),
    ...(options.chunked === true ? {} : { 'content-length': Buffer.byteLength(body) }),
    ...headers,
  }
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    const { method = 'POST', agent, path = '/webhooks' } = options
    const asked = request(url, { path, method, headers: sent, ...(agent === undefined ? {} : { agent }) })
    asked.once('error', reject)
    asked.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString()
        const { statusCode: status = 0, headers: answered } = response
        resolve({ status, headers: answered, body: text.startsWith('{') ? JSON.parse(text) : text })
      })
    })
    asked.end(body)
  })
}

/** A compact JWS made by hand, for what no library would sign. */
export function forge(header: object, claims: object, sign: (input: string) => string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${sign(input)}`
}

export function hmac(hash: 'sha256' | 'sha512', key: string = webhookSecret) {
  return (input: string) => createHmac(hash, key).update(input).digest('base64url')
}

export function sha256(body: string, encoding: 'hex' | 'base64' | 'base64url'): string {
  return createHash('sha256').update(body).digest(encoding)
}

/** Seconds since 1970, as JWTs tell time. */
export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
