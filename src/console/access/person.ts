import type { AuthMethod } from '../../ledger/audit/audit-entry.ts'
import { type Right, rights, rightsOf, type Role } from '../../base/roles.ts'

/** Who asks the admin listener. */
export interface Person {
  name: string
  rights: ReadonlySet<Right>
  /** How pawl knows; absent: on this machine, where nobody is asked. */
  method: AuthMethod | undefined
  /** The name is what somebody says of himself, not what was proved. */
  isSelfNamed: boolean
}

/** What is known of a request before any route sees it. */
export interface Access {
  /** Absent: nobody who may do anything. */
  person?: Person
  /** Credentials came along and were refused: wrong, or too many were wrong before. */
  refused?: 'wrong' | { retryAfterSeconds: number }
  /** Stands in the forms of this person. */
  formToken: string
  /** When the session ends if nothing more is asked for; absent: there is none. */
  sessionEndsAt?: number
}

declare module 'express-serve-static-core' {
  interface Request {
    access?: Access
  }
}

/** A person with every right, whose name nobody has checked. */
export function anybody(method?: AuthMethod): Person {
  return { name: 'unnamed', rights: new Set(rights), method, isSelfNamed: true }
}

/** A person whose name was proved. */
export function namedPerson(name: string, roles: readonly Role[], method: AuthMethod): Person {
  return { name, rights: rightsOf(roles), method, isSelfNamed: false }
}
