import type { Account, AuthMethod } from '@pawl/ledger/audit/audit-entry'
import { type Right, rights, rightsOf, type Role } from '@pawl/base/roles'

/** The person behind a request to the admin listener. */
export interface Person {
  name: string
  rights: ReadonlySet<Right>
  /** How the person authenticated; absent: without authentication, on this machine. */
  method: AuthMethod | undefined
  /** The account at the identity provider, if one was the login. */
  account?: Account | undefined
  /** The name is claimed, not authenticated. */
  isSelfNamed: boolean
}

/** Authentication of a request. */
export interface Access {
  /** Absent: not authenticated. */
  person?: Person
  /** The credentials were refused: wrong, or after too many wrong ones. */
  refused?: 'wrong' | { retryAfterSeconds: number }
  /** Token of this person's forms. */
  formToken: string
  /** When the session ends without further requests; absent: no session. */
  sessionEndsAt?: number
}

declare module 'express-serve-static-core' {
  interface Request {
    access?: Access
  }
}

/** A person with every right and an unverified name. */
export function anybody(method?: AuthMethod): Person {
  return { name: 'unnamed', rights: new Set(rights), method, isSelfNamed: true }
}

/** A person with an authenticated name. */
export function namedPerson(name: string, roles: readonly Role[], method: AuthMethod, account?: Account): Person {
  return { name, rights: rightsOf(roles), method, account, isSelfNamed: false }
}
