import fc from 'fast-check'
import { hostileId } from './hostile-text.ts'

/** The cookies of the console: of a session, and of a login at an identity provider that is under way. */
export const [sessionCookie, noteCookie] = ['__Host-pawl', '__Host-pawl-login'] as const

/** Cookies of a person who is logged in, and of one who is about to be. */
export interface Held {
  session: string
  note: string
}

const encode = (text: string) => Buffer.from(text).toString('base64url')
const claims = { session: { id: 'x', name: 'root', method: 'password', roles: ['reveal'], mark: 'x', began: 1 } }

/** Cookies that are no session: none of them is made with the key, or for this. */
export function hostileCookie({ session, note }: Held): fc.Arbitrary<string> {
  const flipped = fc.tuple(fc.nat(), fc.constantFrom('A', 'b', '9', '_')).map(([place, other]) => {
    // The last character of a part may hold bits that mean nothing.
    const places = [...session.matchAll(/[^.](?=[^.])/g)].map(({ index }) => index)
    const at = places[place % places.length] ?? 0
    const letter = session[at] === other ? 'z' : other
    return session.slice(0, at) + letter + session.slice(at + 1)
  })
  const cut = fc
    .double({ min: 0, max: 0.95, noNaN: true })
    .map((part) => session.slice(0, Math.floor(session.length * part)))
  const mixed = fc.nat(4).map((index) => {
    const [parts, others] = [session.split('.'), note.split('.')]
    // The second part, of the key, is empty in both.
    const at = index === 1 ? 0 : index
    parts[at] = at === 0 ? encode('{"alg":"dir","enc":"A256GCM","crit":["exp"]}') : (others[at] ?? '')
    return parts.join('.')
  })
  const header = fc
    .constantFrom(
      '{"alg":"none"}',
      '{"alg":"dir","enc":"A256GCM","zip":"DEF"}',
      '{"alg":"dir","enc":"none"}',
      '{"alg":"A256GCMKW","enc":"A256GCM","iv":"AAAA","tag":"AAAA"}',
      '{"alg":"PBES2-HS256+A128KW","enc":"A256GCM","p2s":"AAAAAAAAAAAA","p2c":2147483647}',
      '{"alg":"ECDH-ES","enc":"A256GCM","epk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}',
      '{"alg":["dir"],"enc":"A256GCM"}',
      '{"__proto__":{"alg":"dir"},"enc":"A256GCM"}',
      '[]',
      'null',
      '{',
    )
    .map((text) =>
      [encode(text), 'AAAA', encode('twelve bytes'), encode(JSON.stringify(claims)), encode('x'.repeat(16))].join('.'),
    )
  const unsigned = fc
    .constantFrom('none', 'HS256')
    .map((alg) => `${encode(JSON.stringify({ alg }))}.${encode(JSON.stringify(claims))}.`)
  const text = hostileId.map((id) => id.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 6_000))
  const value = fc.oneof(flipped, cut, mixed, fc.constant(note), header, unsigned, text)
  const named = fc
    .tuple(fc.constantFrom(sessionCookie, sessionCookie, sessionCookie, noteCookie), value)
    .map(([name, each]) => `${name}=${each}`)
  const strange = fc.constantFrom(
    sessionCookie,
    `=${session}`,
    `${sessionCookie} x=${session}`,
    `${sessionCookie.toLowerCase()}=${session}`,
    `__proto__=${session}`,
    `pawl=${session}`,
    `${sessionCookie}=%`,
    `${sessionCookie}=; ${sessionCookie}=${session}`,
    'a=b; '.repeat(500),
  )
  return fc.oneof({ weight: 5, arbitrary: named }, { weight: 1, arbitrary: strange })
}
