import fc from 'fast-check'
import { hostileSegment } from './hostile-text.ts'
import { atOnce, requestText, type Wire } from './raw-http.ts'

/** A request that is sound, to be broken. */
export interface SoundRequest {
  path: string
  headers: Record<string, string>
  body: string
}

const crlf = '\r\n'

function headOf({ path, headers }: SoundRequest, more: readonly string[]): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', ...lines, ...more, '', ''].join(crlf)
}

/** Almost HTTP, or HTTP that no client means: built around a request which alone would be taken. */
export function hostileHttp(sound: SoundRequest): fc.Arbitrary<Wire> {
  const { path, headers, body } = sound
  const whole = requestText({ path, headers }, body)
  const kept = requestText({ path, headers: { ...headers, connection: 'keep-alive' } }, body)
  const text = (each: string) => atOnce(Buffer.from(each, 'latin1'))
  const size = Buffer.byteLength(body)

  const truncated = fc.integer({ min: 0, max: whole.length - 1 }).map((end) => atOnce(whole.subarray(0, end)))
  const inPieces = fc
    .tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 2 }))
    .map(([length, pauseMs]): Wire => {
      const pieces = []
      for (let at = 0; at < whole.length; at += length) pieces.push(whole.subarray(at, at + length))
      return { pieces, pauseMs }
    })
  const hugeHeaders = fc
    .tuple(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 0, max: 2_000 }))
    .map(([count, length]) =>
      text(
        headOf(
          sound,
          Array.from({ length: count }, (_, n) => `x-${n}: ${'x'.repeat(length)}`),
        ),
      ),
    )
  const strangeHeader = fc
    .constantFrom(
      'content-length: -1',
      `content-length: ${size}, ${size}`,
      `content-length: ${size}${crlf}content-length: 1`,
      'content-length: 1e400',
      'content-length: 0x10',
      'content-length: 99999999999999999999',
      `content-length: ${size}${crlf}transfer-encoding: chunked`,
      'transfer-encoding: identity',
      'transfer-encoding: chunked, gzip',
      `transfer-encoding : chunked`,
      ` folded: x`,
      'no colon',
      ': no name',
      'x\0: y',
      'x: a\0b',
      'x: \x7f\xff',
      `expect: 100-continue${crlf}content-length: ${size}`,
      `expect: strange${crlf}content-length: ${size}`,
      `content-encoding: gzip${crlf}content-length: ${size}`,
      `upgrade: h2c${crlf}connection: upgrade${crlf}content-length: ${size}`,
      `host: other.example${crlf}content-length: ${size}`,
      `connection: close, x-webhook-secret${crlf}content-length: ${size}`,
    )
    .map((line) => text(headOf(sound, [line]) + body))
  const chunked = fc
    .constantFrom(
      `${size.toString(16)}${crlf}${body}${crlf}0${crlf}${crlf}`,
      `zz${crlf}`,
      `-1${crlf}x${crlf}0${crlf}${crlf}`,
      `ffffffffffffffff${crlf}x`,
      `fffffffffffffffff${crlf}x`,
      `5;${'x'.repeat(20_000)}${crlf}hello${crlf}0${crlf}${crlf}`,
      `5${crlf}hello`,
      `5${crlf}helloXX0${crlf}${crlf}`,
      `0${crlf}trailer: ${'x'.repeat(20_000)}${crlf}${crlf}`,
      `0${crlf}__proto__: x${crlf}${crlf}`,
    )
    .map((chunks) => text(headOf(sound, ['transfer-encoding: chunked', 'connection: close']) + chunks))
  const pipelined = fc
    .tuple(fc.integer({ min: 1, max: 20 }), fc.constantFrom('', 'GARBAGE', crlf, '\0', 'GET / HTTP/9.9\r\n\r\n'))
    .map(([count, end]) => atOnce(...Array.from({ length: count }, () => kept), Buffer.from(end)))
  const strangeLine = fc
    .oneof(
      fc.constantFrom(
        'TRACE / HTTP/1.1',
        'CONNECT example.org:80 HTTP/1.1',
        'OPTIONS * HTTP/1.1',
        'PRI * HTTP/2.0',
        `POST ${path}`,
        `POST ${path} HTTP/0.9`,
        `POST ${path} HTTP/1.0`,
        `POST ${path} HTTP/11.1`,
        `POST http://169.254.169.254${path} HTTP/1.1`,
        `POST //evil.example${path} HTTP/1.1`,
        `POST ${path}/../../etc/passwd HTTP/1.1`,
        `post ${path} HTTP/1.1`,
        `POST\t${path}\tHTTP/1.1`,
        '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
      ),
      hostileSegment.map((segment) => `GET ${path}/${segment} HTTP/1.1`),
      fc.string({ unit: 'binary', maxLength: 60 }),
    )
    .map((line) => text([line, 'host: x', 'content-length: 0', 'connection: close', '', ''].join(crlf)))
  const wire = fc.oneof(truncated, inPieces, hugeHeaders, strangeHeader, chunked, pipelined, strangeLine)
  // Long enough for most answers; a few are cut off by it, which servers have to bear, too.
  return fc.tuple(wire, fc.constantFrom(0, 60, 60, 60)).map(([each, endsAfterMs]) => ({ ...each, endsAfterMs }))
}
