import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashPassword, verifyPassword } from '../../password-hash.ts'
import type { Role } from '../../roles.ts'
import { roleNames } from '../../roles.ts'
import type { LoginLimits } from './login-limits.ts'
import type { Session } from './session.ts'

/** Somebody with a password of their own. */
export interface AdminUser {
  name: string
  roles: readonly Role[]
  /** As `pawl users hash` prints it. */
  password: string
}

/** Whom a name and a password prove, as a session begins with it. */
export type Proven = Omit<Session, 'id' | 'began'>

/** What is known by then of a password that was refused. */
export type Verdict =
  { proven: Proven } | { wrong: true; knownName: string | undefined } | { retryAfterSeconds: number }

export interface Credentials {
  /** Whether passwords are taken at all. */
  areTaken: boolean
  /** Checks a name and a password that came from this address. */
  check(this: void, given: { name: string; password: string }, address: string): Promise<Verdict>
  /** Whether what a session came from still holds: the same password, and the roles as the settings have them now. */
  renew(this: void, session: Session): Proven | undefined
}

export interface CredentialsDeps {
  /** Proves no name, and gives every right. */
  sharedPassword: string | undefined
  users: readonly AdminUser[]
  limits: LoginLimits
}

/** Names and passwords that are remembered as right, so that scripts wait for the hash once only. */
const maxRemembered = 200

/** Makes the check of passwords. A name of `users` is proved by its own password alone; under any other name the shared one is right. */
export function createCredentials({ sharedPassword, users, limits }: CredentialsDeps): Credentials {
  const byName = new Map(users.map((user) => [user.name, user]))
  const key = randomBytes(32)
  const remembered = new Map<string, Proven>()
  /** Whoever asks about a name that there is not waits as long as about one that there is. */
  const decoy = users.length === 0 ? undefined : hashPassword(randomBytes(32).toString('hex'))

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
    if (user !== undefined) return (await verifyPassword(password, user.password)) ? provenOf(user) : undefined
    if (sharedPassword !== undefined && timingSafeEqual(digest(password), digest(sharedPassword)))
      return provenByShared(name, sharedPassword)
    if (decoy !== undefined) await verifyPassword(password, await decoy)
    return undefined
  }

  return {
    areTaken: sharedPassword !== undefined || users.length > 0,
    async check({ name, password }, address) {
      const memory = createHmac('sha256', key)
        .update(JSON.stringify([name, password]))
        .digest('base64url')
      const known = remembered.get(memory)
      if (known !== undefined) return { proven: known }
      const knownName = byName.has(name) ? name : undefined
      const retryAfterSeconds = await limits.take(address, knownName ?? '')
      if (retryAfterSeconds !== undefined) return { retryAfterSeconds }
      const proven = await prove(name, password)
      if (proven === undefined) return { wrong: true, knownName }
      await limits.giveBack(address, knownName ?? '')
      remembered.set(memory, proven)
      for (const [oldest] of remembered) if (remembered.size > maxRemembered) remembered.delete(oldest)
      return { proven }
    },
    renew({ name, method, mark }) {
      const user = byName.get(name)
      const proven =
        method === 'password'
          ? user && provenOf(user)
          : sharedPassword === undefined || user !== undefined
            ? undefined
            : provenByShared(name, sharedPassword)
      return proven?.mark === mark ? proven : undefined
    },
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text.normalize('NFC')).digest()
}
