/** Actor and reason of an act. */
export interface Act {
  actor: Actor
  reason?: string | undefined
}
/** Actions in the audit trail, by people or by pawl itself. */
export const auditActions = [
  'process.start',
  'person.login',
  'person.refuse',
  'person.logout',
  'access.refuse',
  'resource.find',
  'resource.view',
  'resource.reveal',
  'chart.verify',
  'chart.mend',
  'work.retry',
  'work.amend',
  'work.discard',
  'work.pause',
  'work.resume',
  'work.backfill',
  'file.done',
  'memory.forget',
  'notice.resend',
  'resource.reconcile',
  'reconcile.cancel',
  'request.draft',
  'request.start',
  'patient.find',
  'patient.erase',
  'audit.view',
  'audit.export',
  'report.export',
  'feed.read',
  'feed.acknowledge',
  'ledger.copy',
  'ledger.purge',
  'keys.rotate',
  'audit.break',
  'audit.acknowledge',
] as const
export type AuditAction = (typeof auditActions)[number]

/** How the admin listener authenticates: a personal password, the shared password, an identity provider, or a proxy. */
export const authMethods = ['password', 'shared_password', 'oidc', 'proxy'] as const
export type AuthMethod = (typeof authMethods)[number]

/** The actor, and the way it reached pawl. */
export interface Actor {
  /** The authenticated name, else the claimed one. */
  name: string
  via: 'process' | 'admin' | 'command' | 'feed'
  /** How the name was authenticated; `shared_password` leaves it a claim; absent: no login took place. */
  auth?: AuthMethod | undefined
  /** The person's account at an identity provider. */
  account?: Account | undefined
}

/** An account at an identity provider: its `iss` and `sub` are the identity, names may change hands (OpenID Connect Core, 5.7). */
export interface Account {
  issuer: string
  subject: string
}

/** pawl itself. */
export const ownActor: Actor = { name: 'pawl', via: 'process' }

/** Ids, codes, names of settings and numbers: no patient data. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** Max resources named in one entry. */
const maxNamed = 1_000

/** Number and ids of the resources that an act concerns. */
export function nameResources(resourceIds: readonly string[]): { count: number; resources: readonly string[] } {
  return { count: resourceIds.length, resources: resourceIds.slice(0, maxNamed) }
}

/** One act, to be recorded together with its effect. */
export interface AuditEntry {
  actor: Actor
  action: AuditAction
  resourceId?: string | undefined
  handler?: string | undefined
  reason?: string | undefined
  details?: AuditDetails | undefined
}

/** One entry of the trail. */
export interface AuditRecord extends AuditEntry {
  id: number
  at: number
  details: AuditDetails
  hash: string
  /** Signed by a holder of the key. */
  isSigned: boolean
}
