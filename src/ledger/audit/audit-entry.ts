/** Who does something, and why. */
export interface Act {
  actor: Actor
  reason?: string | undefined
}
/** What the audit trail names; each is a verb of somebody, or of pawl itself. */
export const auditActions = [
  'process.start',
  'person.login',
  'person.refuse',
  'person.logout',
  'access.refuse',
  'resource.find',
  'resource.view',
  'resource.reveal',
  'work.retry',
  'work.discard',
  'work.pause',
  'work.resume',
  'work.backfill',
  'memory.forget',
  'resource.reconcile',
  'patient.find',
  'patient.erase',
  'audit.view',
  'audit.export',
  'report.export',
  'ledger.copy',
  'ledger.purge',
  'keys.rotate',
  'audit.break',
] as const
export type AuditAction = (typeof auditActions)[number]

/** How the admin listener knows who asks: by a password of their own, by the password that serves all, by an identity provider, or from a proxy. */
export const authMethods = ['password', 'shared_password', 'oidc', 'proxy'] as const
export type AuthMethod = (typeof authMethods)[number]

/** Who acts, and how pawl was reached. */
export interface Actor {
  /** Proved as `auth` says; else as whoever asked calls himself, which nobody has checked. */
  name: string
  via: 'process' | 'admin' | 'command'
  /** How the name was proved, or that it was not; absent: nobody was asked. */
  auth?: AuthMethod | undefined
}

/** pawl itself, where nobody asked. */
export const ownActor: Actor = { name: 'pawl', via: 'process' }

/** Ids, codes, names of settings and numbers: nothing of a patient. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** Resources that one entry names. */
const maxNamed = 1_000

/** How many resources an act concerns, and which. */
export function nameResources(resourceIds: readonly string[]): { count: number; resources: readonly string[] } {
  return { count: resourceIds.length, resources: resourceIds.slice(0, maxNamed) }
}

/** One thing that somebody does, to be written down with it. */
export interface AuditEntry {
  actor: Actor
  action: AuditAction
  resourceId?: string | undefined
  handler?: string | undefined
  reason?: string | undefined
  details?: AuditDetails | undefined
}

/** One entry as it stands in the trail. */
export interface AuditRecord extends AuditEntry {
  id: number
  at: number
  details: AuditDetails
  hash: string
  /** Somebody who has the key signed it. */
  isSigned: boolean
}
