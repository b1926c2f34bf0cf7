/** What the audit trail names; each is a verb of somebody, or of pawl itself. */
export const auditActions = [
  'process.start',
  'resource.find',
  'resource.view',
  'work.retry',
  'work.discard',
  'work.pause',
  'work.resume',
  'resource.reconcile',
  'patient.find',
  'patient.erase',
  'audit.view',
  'audit.export',
  'report.export',
  'ledger.copy',
  'audit.break',
] as const
export type AuditAction = (typeof auditActions)[number]

/** Who acts, and how pawl was reached. */
export interface Actor {
  /** As whoever asked calls himself: nobody has checked it. */
  name: string
  via: 'process' | 'admin' | 'command'
}

/** pawl itself, where nobody asked. */
export const ownActor: Actor = { name: 'pawl', via: 'process' }

/** Ids, codes, names of settings and numbers: nothing of a patient. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

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
