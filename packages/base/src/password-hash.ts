import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** `scrypt:<log2 N>:<r>:<p>:<salt>:<hash>`, the last two in base64url: free of characters that a shell or compose file would expand. */
const form = /^scrypt:(1[5-9]|20):(8):([1-9]):([\w-]{22,}):([\w-]{43})$/

/** Memory is 128 · N · r bytes: 32 MiB. */
const cost = { log2: 15, r: 8, p: 3 }
const hashBytes = 32

/** Whether a text has the form of `hashPassword`'s result. */
export function isPasswordHash(text: string): boolean {
  return form.test(text)
}

/** Hashes a password with scrypt and a fresh salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost)
  return ['scrypt', cost.log2, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join(':')
}

/** Whether a password matches a hash, in constant time. Throws `TypeError` for a text that is not a hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, log2, r, p, salt, hash] = form.exec(stored) ?? []
  if (salt === undefined || hash === undefined) throw new TypeError('not a password hash')
  const found = await derive(password, Buffer.from(salt, 'base64url'), {
    log2: Number(log2),
    r: Number(r),
    p: Number(p),
  })
  return timingSafeEqual(found, Buffer.from(hash, 'base64url'))
}

function derive(password: string, salt: Buffer, { log2, r, p }: typeof cost): Promise<Buffer> {
  const N = 2 ** log2
  return new Promise((resolve, reject) => {
    // The same characters may be entered as different code points.
    scrypt(password.normalize('NFC'), salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}
