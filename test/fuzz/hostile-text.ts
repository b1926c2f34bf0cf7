import fc from 'fast-check'

/** Ids that try to steer a path, a query, a key or a log line. */
export const hostileId = fc.oneof(
  fc.constantFrom(
    '.',
    '..',
    '../../etc/passwd',
    '..\\..\\windows',
    '%2e%2e%2f',
    '%2e%2e',
    '%00',
    'a%00b',
    'a\0b',
    'a/b',
    'a?b=c',
    'a#b',
    'a b',
    'a\nb: c',
    '\r\nset-cookie: a=b',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    "' or 1=1 --",
    '"; drop table events; --',
    '{{7*7}}',
    '${jndi:ldap://127.0.0.1/a}',
    'file:///etc/passwd',
    'http://169.254.169.254/latest/meta-data',
    '\ud800',
    '\u202e',
    'pa_req_é',
    '',
    'null',
    'NaN',
  ),
  fc.integer({ min: 100, max: 20_000 }).map((length) => 'x'.repeat(length)),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.stringMatching(/^pa_req_[\w.:~-]{1,30}$/),
)

/** JSON texts of single values, also such as `JSON.stringify` never writes. */
const valueText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '1e400',
    '-1e400',
    '1E-999',
    '-0',
    '9'.repeat(400),
    '0.1e1',
    '01',
    'NaN',
    'Infinity',
    'undefined',
    'null',
    'true',
    '"\\ud800"',
    '"\\u0000"',
    '"\\x"',
    '""',
    '[]',
    '{}',
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '"9999-99-99T99:99:99Z"',
    '"-271821-04-20T00:00:00Z"',
    '"+275760-09-13T00:00:00Z"',
  ),
  hostileId.map((id) => JSON.stringify(id)),
  fc.json({ maxDepth: 3 }),
)

/** Brackets or objects within each other. */
const nestedText = fc
  .tuple(fc.integer({ min: 1, max: 30_000 }), fc.boolean(), fc.boolean())
  .map(([depth, isArray, isWhole]) => {
    const [open, close] = isArray ? ['[', ']'] : ['{"data":', '}']
    return open.repeat(depth) + (isArray ? '' : '1') + (isWhole ? close.repeat(depth) : '')
  })

/** The text of an object: keys come from `keys` or are hostile, and may come twice. */
export function objectText(keys: readonly string[]): fc.Arbitrary<string> {
  const key = fc.oneof(fc.constantFrom(...keys), fc.constantFrom('__proto__', 'constructor', 'prototype', 'toJSON', ''))
  const value = fc.oneof({ weight: 3, arbitrary: valueText }, { weight: 1, arbitrary: nestedText })
  return fc
    .array(fc.tuple(key, value), { maxLength: 8 })
    .map((fields) => `{${fields.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`)
}

/** Bodies of which some are JSON: these keys in an object, nests, halves, bytes of any kind. */
export function hostileBody(keys: readonly string[]): fc.Arbitrary<Buffer> {
  const text = fc.oneof({ weight: 4, arbitrary: objectText(keys) }, valueText, nestedText)
  return fc.oneof(
    { weight: 6, arbitrary: text.map((each) => Buffer.from(each)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(text, fc.double({ min: 0, max: 1, noNaN: true }))
        .map(([each, part]) => Buffer.from(each.slice(0, Math.floor(each.length * part)))),
    },
    { weight: 1, arbitrary: text.map((each) => Buffer.from(`\ufeff${each}\0`)) },
    { weight: 1, arbitrary: text.map((each) => Buffer.from(each, 'utf16le')) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  )
}

/** Without halves of characters, which no percent-encoding has. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

/** A path segment: an id as it is, percent-encoded, or encoded twice; without what would end the request line. */
export const hostileSegment = fc.tuple(hostileId, fc.constantFrom('raw', 'encoded', 'twice')).map(([id, form]) => {
  const encoded = encodeURIComponent(wellFormed(id))
  if (form === 'raw') return id.replaceAll(/[\0-\x20\x7f-\uffff]/g, '').slice(0, 4_000)
  return (form === 'encoded' ? encoded : encodeURIComponent(encoded)).slice(0, 4_000)
})
