import { generateKeyPairSync } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { SignJWT } from 'jose'
import { signToken } from '../support/webhook.ts'
import { type Answer, forge, goodBody, hmac, inSeconds, post, sha256 } from './signed-requests.ts'

/** A delivery that must be refused. */
export interface Refusal {
  name: string
  status: number
  code: string
  /** Headers that the answer must have. */
  headers?: Record<string, string>
  send(url: string): Promise<Answer>
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicKey = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const claims = { exp: inSeconds(300) }

const withToken = (name: string, token: () => Promise<string> | string, code = 'token_invalid'): Refusal => ({
  name,
  status: 401,
  code,
  send: async (url) => post(url, goodBody, { 'x-webhook-secret': await token() }),
})

const tokens: Refusal[] = [
  {
    name: 'no token',
    status: 401,
    code: 'token_missing',
    send: (url) => post(url, goodBody, { 'x-webhook-secret': undefined }),
  },
  withToken('an empty token', () => '', 'token_missing'),
  withToken('a token that is none', () => 'a-secret-for-tests-of-at-least-32-characters'),
  withToken('a token signed with another secret', () => signToken({}, 'another-secret-of-at-least-32-characters')),
  withToken('a token signed with the empty secret', () => forge({ alg: 'HS256' }, claims, hmac('sha256', ''))),
  withToken('alg none', () => forge({ alg: 'none' }, claims, () => '')),
  withToken('alg nOnE with a good signature', () => forge({ alg: 'nOnE' }, claims, hmac('sha256'))),
  withToken('no alg', () => forge({}, claims, hmac('sha256'))),
  withToken('RS256 with the secret as its key', () => forge({ alg: 'RS256' }, claims, hmac('sha256'))),
  withToken('RS256 with a key of the sender', () =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey),
  ),
  withToken('HS256 with a public key as the secret', () => forge({ alg: 'HS256' }, claims, hmac('sha256', publicKey))),
  withToken('a key that the token brings along', () =>
    forge({ alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } }, claims, hmac('sha256', '\0\0\0')),
  ),
  withToken('HS512 with the right secret', () => forge({ alg: 'HS512' }, claims, hmac('sha512'))),
  withToken('an unknown critical header', () =>
    forge({ alg: 'HS256', crit: ['strange'], strange: 1 }, claims, hmac('sha256')),
  ),
  ...[null, '', 0, false, [], ['alg'], ['exp'], [['exp']], 'exp', {}].map((crit) =>
    withToken(`a critical header of ${JSON.stringify(crit)}`, () =>
      forge({ alg: 'HS256', crit, exp: 1 }, claims, hmac('sha256')),
    ),
  ),
  ...[['HS256'], ['none', 'HS256'], { toString: 'HS256' }, 1, null].map((alg) =>
    withToken(`an alg of ${JSON.stringify(alg)}`, () => forge({ alg }, claims, hmac('sha256'))),
  ),
  withToken('a signature with padding', async () => `${await signToken()}=`),
  withToken('a signature with a line break', async () => `${await signToken()}%0A`),
  withToken('a fourth part', async () => `${await signToken()}.${hmac('sha256')('more')}`),
  withToken('an exp that is a list', () => forge({ alg: 'HS256' }, { exp: [inSeconds(300)] }, hmac('sha256'))),
  withToken('an exp that is null', () => forge({ alg: 'HS256' }, { exp: null }, hmac('sha256'))),
  withToken('claims that are a list', () => forge({ alg: 'HS256' }, [claims], hmac('sha256'))),
  withToken('an expired token', () => signToken({ exp: inSeconds(-600) }), 'token_expired'),
  withToken('a token that is not valid yet', () => signToken({ nbf: inSeconds(600) }), 'token_expired'),
  ...['iat', 'exp', 'nbf'].map((claim) =>
    withToken(`a token whose ${claim} is no time`, () => forge({ alg: 'HS256' }, { [claim]: 'soon' }, hmac('sha256'))),
  ),
  withToken('a truncated token', async () => (await signToken()).slice(0, -10)),
  withToken('a token without its signature', async () => (await signToken()).replace(/\.[^.]*$/, '.')),
  withToken('claims that are no JSON', () => {
    const input = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.bm8`
    return `${input}.${hmac('sha256')(input)}`
  }),
  {
    name: 'two tokens, both good',
    status: 401,
    code: 'token_invalid',
    send: async (url) => post(url, goodBody, { 'x-webhook-secret': [await signToken(), await signToken()] }),
  },
]

const withDigest = (name: string, digest: unknown, claim = 'body_sha256'): Refusal =>
  withToken(name, () => signToken({ [claim]: digest }), 'body_digest_mismatch')

const digests: Refusal[] = [
  withDigest('the hex digest of another body', sha256('another', 'hex')),
  withDigest('the Base64 digest of another body', sha256('another', 'base64')),
  withDigest('a wrong digest under the other name', sha256('another', 'hex'), 'request_body_sha256'),
  withDigest('half of the right digest', sha256(goodBody, 'hex').slice(0, 32)),
  withDigest('an empty digest', ''),
  withDigest('a digest that is no string', 7),
  withDigest('a digest that is null', null),
]

/** A valid envelope. */
const filled = (begin: string, end: string) =>
  `{"event_type":"prior_authorization.message","data":{"id":"pa_req_1","filler":${begin}${end}}}`

const withBody = (name: string, body: string | Buffer, code: string): Refusal => ({
  name,
  status: 400,
  code,
  send: (url) => post(url, body),
})

const bodies: Refusal[] = [
  withBody('an empty body', '', 'not_json'),
  withBody('a body that is not JSON', 'event_type=prior_authorization.message', 'not_json'),
  withBody('half an envelope', goodBody.slice(0, 40), 'not_json'),
  withBody('bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x01]), 'not_json'),
  withBody('brackets without end', '['.repeat(50_000), 'json_too_deep'),
  withBody('lists within one another', filled('['.repeat(100_000), ']'.repeat(100_000)), 'json_too_deep'),
  withBody('objects within one another', filled('{"a":'.repeat(63), `1${'}'.repeat(63)}`), 'json_too_deep'),
  withBody('empty lists', filled(`[${'[],'.repeat(50_001)}`, '1]'), 'json_too_many_values'),
  withBody('numbers', filled(`[${'1,'.repeat(50_001)}`, '1]'), 'json_too_many_values'),
  withBody('fields', filled(`{${'"":1,'.repeat(50_001)}`, '"b":1}'), 'json_too_many_values'),
  withBody('brackets behind a string that ends in a backslash', `["\\\\",${'['.repeat(100)}`, 'json_too_deep'),
  withBody('an array', `[${goodBody}]`, 'not_an_envelope'),
  withBody('null', 'null', 'not_an_envelope'),
  withBody('a string', JSON.stringify(goodBody), 'not_an_envelope'),
  withBody('a number', '7', 'not_an_envelope'),
  withBody('no event_type', '{"data":{"id":"pa_req_1"}}', 'not_an_envelope'),
  withBody('an event_type that is no string', '{"event_type":{},"data":{"id":"pa_req_1"}}', 'not_an_envelope'),
  withBody('an empty event_type', '{"event_type":"","data":{"id":"pa_req_1"}}', 'not_an_envelope'),
  ...['"pa_req_1"', 'null', '7', '[{"id":"pa_req_1"}]'].map((data) =>
    withBody(`data of ${data}`, `{"event_type":"prior_authorization.message","data":${data}}`, 'not_an_envelope'),
  ),
  withBody('no data', '{"event_type":"prior_authorization.message"}', 'not_an_envelope'),
]

const withType = (name: string, contentType: string | undefined): Refusal => ({
  name,
  status: 415,
  code: 'wrong_content_type',
  send: (url) => post(url, goodBody, { 'content-type': contentType }),
})

const withEncoding = (encoding: string, body: Buffer): Refusal => ({
  name: `a body in ${encoding}`,
  status: 415,
  code: 'wrong_content_encoding',
  headers: { 'accept-encoding': 'identity' },
  send: (url) => post(url, body, { 'content-encoding': encoding }),
})

const huge = Buffer.alloc(20 * 1024 * 1024, ' ')

const requests: Refusal[] = [
  withType('no content type', undefined),
  withType('text', 'text/plain'),
  withType('a form', 'application/x-www-form-urlencoded'),
  withType('another kind of JSON', 'application/jsonp'),
  withEncoding('gzip', gzipSync(goodBody)),
  withEncoding('X-GZip', gzipSync(goodBody)),
  withEncoding('br', brotliCompressSync(goodBody)),
  withEncoding('deflate', deflateSync(goodBody)),
  withEncoding('identity, gzip', gzipSync(goodBody)),
  { name: '20 MB', status: 413, code: 'too_large', send: (url) => post(url, huge) },
  {
    name: '20 MB in chunks, of a length not told',
    status: 413,
    code: 'too_large',
    send: (url) => post(url, huge, {}, { chunked: true }),
  },
]

/** Every bad input, each with its answer (architecture, Receiver answers). */
export const refusals: readonly Refusal[] = [...tokens, ...digests, ...bodies, ...requests]
