import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { verifyPassword } from '@pawl/base/password-hash'
import { type Role, roleNames } from '@pawl/base/roles'
import { type LoginLimits, remember } from '@pawl/base/net/login-limits'
import type { Session } from './session.ts'

/** A user with a password of their own. */
export interface AdminUser {
  name: string
  roles: readonly Role[]
  /** Hash, as `pawl users hash` prints it. */
  password: string
}

/** The person that a name and a password prove, for a new session. */
export type Proven = Omit<Session, 'id' | 'began'>

/** Result of a login. */
export type LoginResult =
  { proven: Proven } | { wrong: true; knownName: string | undefined } | { retryAfterSeconds: number }

export interface Credentials {
  /** Whether any password is configured. */
  areTaken: boolean
  /** Checks a name and a password from this origin (`originOf`). */
  check(this: void, given: { name: string; password: string }, origin: string): Promise<LoginResult>
  /** The person of a session if its password is unchanged, with the roles of the current settings. */
  renew(this: void, session: Session): Proven | undefined
}

export interface CredentialsDeps {
  /** The shared password: proves no name, and gives every right. */
  sharedPassword: string | undefined
  users: readonly AdminUser[]
  limits: LoginLimits
  verify?: typeof verifyPassword
}

/** Max cached valid passwords, so that scripts wait for the hash only once. */
const maxProven = 200

/** Makes the check of passwords, which asks `limits` first. A name in `users` needs its own password; any other name takes the shared one. */
export function createCredentials({
  sharedPassword,
  users,
  limits,
  verify = verifyPassword,
}: CredentialsDeps): Credentials {
  const byName = new Map(users.map((user) => [user.name, user]))
  const key = randomBytes(32)
  const proven = new Map<string, Proven>()
  /** Wrong guesses, each with its origin: a script that repeats an old password counts as one guess. */
  const wrong = new Set<string>()
  const inHand = new Map<string, Promise<Proven | undefined>>()
  const keyedDigest = (...parts: string[]) =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')

  const provenOf = ({ name, roles, password }: AdminUser): Proven => ({
    name,
    method: 'password',
    roles: [...roles],
    mark: digest(password).toString('base64url'),
  })
  const provenByShared = (name: string, password: string): Proven => ({
    name,
    method: 'shared_password',
    roles: roleNames,
    mark: digest(`shared ${password}`).toString('base64url'),
  })

  async function prove(name: string, password: string): Promise<Proven | undefined> {
    const user = byName.get(name)
    if (user !== undefined) return (await verify(password, user.password)) ? provenOf(user) : undefined
    if (sharedPassword !== undefined && timingSafeEqual(digest(password), digest(sharedPassword)))
      return provenByShared(name, sharedPassword)
    // An unknown name takes as long as a known one: a user's hash is computed, always the same user's for the same name.
    const other = users[createHmac('sha256', key).update(name).digest().readUInt32BE() % users.length]
    if (other !== undefined) await verify(password, other.password)
    return undefined
  }

  /** Counts one attempt, and refunds it if the password is right. */
  async function tryOnce({ name, password }: { name: string; password: string }, origin: string) {
    limits.take({ origin, name })
    const found = await prove(name, password)
    if (found === undefined) remember(wrong, keyedDigest(origin, name, password))
    else {
      limits.giveBack({ origin, name })
      limits.trust({ origin, name })
    }
    return found
  }

  return {
    areTaken: sharedPassword !== undefined || users.length > 0,
    async check(given, origin) {
      const { name, password } = given
      // First, and synchronously: during a limit, even the right password is refused.
      const retryAfterSeconds = limits.waitFor({ origin, name })
      if (retryAfterSeconds !== undefined) return { retryAfterSeconds }
      const knownName = byName.has(name) ? name : undefined
      const provenKey = keyedDigest(name, password)
      const known = proven.get(provenKey)
      if (known !== undefined) {
        limits.trust({ origin, name })
        return { proven: known }
      }
      const guess = keyedDigest(origin, name, password)
      if (wrong.has(guess)) return { wrong: true, knownName }
      // Concurrent copies of one guess count once.
      const trying = inHand.get(guess) ?? tryOnce(given, origin).finally(() => inHand.delete(guess))
      inHand.set(guess, trying)
      const found = await trying
      if (found === undefined) return { wrong: true, knownName }
      proven.set(provenKey, found)
      for (const [oldest] of proven) if (proven.size > maxProven) proven.delete(oldest)
      return { proven: found }
    },
    renew({ name, method, mark }) {
      const user = byName.get(name)
      const now =
        method === 'password'
          ? user && provenOf(user)
          : sharedPassword === undefined || user !== undefined
            ? undefined
            : provenByShared(name, sharedPassword)
      return now?.mark === mark ? now : undefined
    },
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text.normalize('NFC')).digest()
}
