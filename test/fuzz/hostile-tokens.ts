import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { hostileId, objectText } from './hostile-text.ts'

/** A JWT, and whether a server that knows `secret` may take it: `never`, or it depends. */
export interface HostileToken {
  token: string
  mayPass: boolean
}

const encode = (text: string) => Buffer.from(text).toString('base64url')

/** A compact JWS of texts that need not be JSON. */
function forge(header: string, claims: string, key: string, hash = 'sha256'): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${createHmac(hash, key).update(input).digest('base64url')}`
}

const never = (token: string): HostileToken => ({ token, mayPass: false })
const maybe = (token: string): HostileToken => ({ token, mayPass: true })

const good = '{"alg":"HS256"}'
/** Years ahead and years ago. */
const [future, past] = [4_000_000_000, 1_000_000_000]

/** Tokens that attack the check by their algorithm, their key, their header, their claims or their form; none of them is made for a body. */
export function hostileToken(secret: string): fc.Arbitrary<HostileToken> {
  const otherAlgorithm = fc
    .tuple(
      fc.constantFrom('none', 'None', 'NONE', 'HS384', 'HS512', 'RS256', 'PS256', 'ES256', 'EdDSA', 'hs256', 'dir', ''),
      fc.constantFrom('sha256', 'sha384', 'sha512'),
      fc.boolean(),
    )
    .map(([alg, hash, isSigned]) => {
      const token = forge(JSON.stringify({ alg }), `{"exp":${future}}`, secret, hash)
      return never(isSigned ? token : token.replace(/[^.]*$/, ''))
    })
  const otherKey = fc
    .oneof(
      fc.constantFrom(
        '',
        `${secret}\0`,
        secret.slice(0, -1),
        secret.toUpperCase(),
        encode(secret),
        'undefined',
        'null',
      ),
      fc.string({ maxLength: 60 }),
    )
    // HMAC pads keys with zeros: those at its end make no other key.
    .filter((key) => key.replace(/\0+$/, '') !== secret)
    .map((key) => never(forge(good, `{"exp":${future}}`, key)))
  const strangeHeader = fc
    .tuple(
      fc.constantFrom('kid', 'jku', 'x5u', 'x5c', 'jwk', 'typ', 'cty', 'zip', 'enc', 'b64', '__proto__', 'constructor'),
      fc.oneof(
        hostileId,
        fc.constantFrom('../../../../dev/null', 'http://127.0.0.1:9/keys'),
        fc.constant(false),
        fc.constant({ kty: 'oct', k: '' }),
      ),
    )
    // Written by hand, since an object would lose __proto__.
    .map(([name, value]) =>
      maybe(forge(`{"alg":"HS256",${JSON.stringify(name)}:${JSON.stringify(value)}}`, '{}', secret)),
    )
  const critical = fc
    .tuple(
      fc.constantFrom('["exp"]', '["b64"]', '[]', '["kid","x"]', '"x"', '[null]', '{}'),
      fc.constantFrom('"x":1', '"b64":true', '"b64":false'),
    )
    .map(([crit, other]) => never(forge(`{"alg":"HS256","crit":${crit},${other}}`, '{}', secret)))
  const badTime = fc
    .tuple(
      fc.constantFrom('exp', 'nbf', 'iat'),
      fc.constantFrom('"soon"', `"${future}"`, 'null', '[]', '{}', 'true', '""', '"NaN"', `[${future}]`),
    )
    .map(([claim, value]) => never(forge(good, `{"${claim}":${value}}`, secret)))
  const untimely = fc
    .constantFrom(`"exp":${past}`, '"exp":0', '"exp":-1', '"exp":1.5', '"exp":-1e400', `"nbf":${future}`, '"nbf":1e400')
    .map((claim) => never(forge(good, `{${claim}}`, secret)))
  const oddTime = fc
    .constantFrom(
      '"exp":1e400',
      `"exp":${future}.5`,
      `"exp":${future}e0`,
      '"exp":9007199254740993',
      '"exp":123456789012345678901234567890',
      '"nbf":-0',
      '"nbf":-1e308',
      '"iat":1e400',
      `"exp":${past},"exp":${future}`,
      `"exp":${future},"exp":"soon"`,
      `"exp":${future},"\\u0065xp":${past}`,
    )
    .map((claim) => maybe(forge(good, `{${claim}}`, secret)))
  const repeatedHeader = fc
    .constantFrom('"alg":"none","alg":"HS256"', '"alg":"HS256","alg":"none"', '"alg":"none","\\u0061lg":"HS256"')
    .map((header) => maybe(forge(`{${header}}`, '{}', secret)))
  const noClaims = fc
    .constantFrom('', 'null', '[]', '"text"', '7', 'NaN', '{"exp":NaN}', '{', '\0', '[{"exp":1}]')
    .map((claims) => never(forge(good, claims, secret)))
  const anyClaims = objectText(['sub', 'aud', 'iss', 'jti', 'body_sha256', 'request_body_sha256']).map((claims) =>
    maybe(forge(good, claims, secret)),
  )
  const noHeader = fc
    .constantFrom('', 'null', '[]', '"HS256"', '{"alg":["HS256"]}', '{"alg":{}}', '{"alg":1}', '{', '{"alg":"HS256"')
    .map((header) => never(forge(header, '{}', secret)))
  const broken = fc
    .tuple(fc.constantFrom('.', '..', '....', 'a.b', '=', '==.=.=', '.x', '!', '%2e'), fc.boolean())
    .map(([part, isAppended]) => never(isAppended ? forge(good, '{}', secret) + part : part))
  const changed = fc
    .tuple(
      fc.nat(),
      fc.nat(2),
      fc.constantFrom('', '.', '=', '+', '/', '-', '_', '~', '%', ' ', 'A', 'g', 'z', '0', '=='),
    )
    .map(([position, length, characters]) => {
      const token = goodToken(secret)
      const at = position % (token.length + 1)
      return maybe(token.slice(0, at) + characters + token.slice(at + length))
    })
  const text = fc.string({ maxLength: 300 }).map((each) => never(each.replaceAll(/[^\x21-\x7e]/g, '')))
  const long = fc
    .integer({ min: 1_000, max: 14_000 })
    .map((length) => never(forge(good, `{"x":"${'x'.repeat(length)}"}`, `${secret}x`)))
  return fc.oneof(
    otherAlgorithm,
    otherKey,
    strangeHeader,
    critical,
    badTime,
    untimely,
    oddTime,
    repeatedHeader,
    noClaims,
    anyClaims,
    noHeader,
    broken,
    changed,
    text,
    long,
  )
}

/** A token that every server with this secret takes. */
export const goodToken = (secret: string) => forge(good, `{"exp":${future}}`, secret)
