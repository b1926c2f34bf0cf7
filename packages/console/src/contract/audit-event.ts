import type { AuditEvent, AuditEventAgent, AuditEventEntity, Coding } from 'fhir/r4.js'
import type { AuditAction, AuditDetails, AuditRecord } from '@pawl/ledger/audit/audit-entry'

const dcm = 'http://dicom.nema.org/resources/ontology/DCM'
const interactions = 'http://hl7.org/fhir/restful-interaction'
const rest: Coding = {
  system: 'http://terminology.hl7.org/CodeSystem/audit-event-type',
  code: 'rest',
  display: 'Restful Operation',
}
const dicom = (code: string, display: string): Coding => ({ system: dcm, code, display })
const interaction = (code: string): Coding => ({ system: interactions, code })

const authentication = dicom('110114', 'User Authentication')

/** FHIR codes of each action. */
const kinds: Record<AuditAction, { type: Coding; action: 'C' | 'R' | 'U' | 'D' | 'E'; subtype?: Coding }> = {
  'process.start': {
    type: dicom('110100', 'Application Activity'),
    action: 'E',
    subtype: dicom('110120', 'Application Start'),
  },
  'person.login': { type: authentication, action: 'E', subtype: dicom('110122', 'Login') },
  'person.refuse': { type: authentication, action: 'E', subtype: dicom('110122', 'Login') },
  'person.logout': { type: authentication, action: 'E', subtype: dicom('110123', 'Logout') },
  'access.refuse': { type: dicom('110113', 'Security Alert'), action: 'E' },
  'resource.find': { type: rest, action: 'E', subtype: interaction('search') },
  'resource.view': { type: rest, action: 'R', subtype: interaction('read') },
  'resource.reveal': { type: rest, action: 'R', subtype: interaction('read') },
  'chart.verify': { type: rest, action: 'R', subtype: interaction('read') },
  'chart.mend': { type: rest, action: 'U', subtype: interaction('update') },
  'work.retry': { type: rest, action: 'U', subtype: interaction('update') },
  'work.amend': { type: rest, action: 'U', subtype: interaction('update') },
  'work.discard': { type: rest, action: 'U', subtype: interaction('update') },
  'work.pause': { type: rest, action: 'U', subtype: interaction('update') },
  'work.resume': { type: rest, action: 'U', subtype: interaction('update') },
  'work.backfill': { type: rest, action: 'U', subtype: interaction('update') },
  'file.done': { type: rest, action: 'U', subtype: interaction('update') },
  'memory.forget': { type: rest, action: 'D', subtype: interaction('delete') },
  'notice.resend': { type: rest, action: 'U', subtype: interaction('update') },
  'resource.reconcile': { type: rest, action: 'E', subtype: interaction('operation') },
  'reconcile.cancel': { type: rest, action: 'E', subtype: interaction('operation') },
  'request.draft': { type: rest, action: 'R', subtype: interaction('read') },
  'request.start': { type: rest, action: 'C', subtype: interaction('create') },
  'patient.find': { type: rest, action: 'E', subtype: interaction('search') },
  'patient.erase': { type: rest, action: 'D', subtype: interaction('delete') },
  'audit.view': { type: dicom('110101', 'Audit Log Used'), action: 'R' },
  'audit.export': { type: dicom('110106', 'Export'), action: 'R' },
  'report.export': { type: dicom('110106', 'Export'), action: 'R' },
  'feed.read': { type: rest, action: 'R', subtype: interaction('read') },
  'feed.acknowledge': { type: rest, action: 'U', subtype: interaction('update') },
  'ledger.copy': { type: dicom('110106', 'Export'), action: 'R' },
  'ledger.purge': { type: dicom('110100', 'Application Activity'), action: 'D' },
  'keys.rotate': { type: dicom('110100', 'Application Activity'), action: 'U' },
  'audit.break': { type: dicom('110113', 'Security Alert'), action: 'E' },
  'audit.acknowledge': { type: dicom('110113', 'Security Alert'), action: 'U' },
}

/** FHIR outcome of failures: 4 for refusals, 8 for serious ones. */
const outcomes: Partial<Record<AuditAction, '4' | '8'>> = {
  'person.refuse': '4',
  'access.refuse': '4',
  'audit.break': '8',
}

/** The part of pawl that an actor reached it by. */
const entrances = { admin: 'admin listener', command: 'command line', feed: 'public listener' }

const pawl = { identifier: { value: 'pawl' }, display: 'pawl' }

/** One entry of the audit trail as a FHIR R4 AuditEvent, after the patterns of IHE BALP: who, by which application, at which server, about what. */
export function toAuditEvent(entry: Omit<AuditRecord, 'isSigned'>): AuditEvent {
  const { type, action, subtype } = kinds[entry.action]
  return {
    resourceType: 'AuditEvent',
    id: `pawl-${entry.id}`,
    type,
    ...(subtype && { subtype: [subtype] }),
    action,
    recorded: new Date(entry.at).toISOString(),
    outcome: outcomes[entry.action] ?? '0',
    ...(entry.reason !== undefined && { purposeOfEvent: [{ text: entry.reason }] }),
    agent: agentsOf(entry),
    source: {
      observer: pawl,
      type: [{ system: 'http://terminology.hl7.org/CodeSystem/security-source-type', code: '4' }],
    },
    entity: entitiesOf(entry),
  }
}

function agentsOf({ actor }: Pick<AuditRecord, 'actor'>): AuditEventAgent[] {
  const source = { coding: [dicom('110153', 'Source Role ID')] }
  const destination = { coding: [dicom('110152', 'Destination Role ID')] }
  if (actor.via === 'process') return [{ type: source, who: pawl, requestor: true }]
  return [
    { type: source, who: { display: entrances[actor.via] }, requestor: false },
    { type: destination, who: pawl, requestor: false },
    actor.account === undefined
      ? { who: { identifier: { value: actor.name }, display: actor.name }, requestor: true }
      : {
          who: { identifier: { system: actor.account.issuer, value: actor.account.subject }, display: actor.name },
          altId: actor.name,
          requestor: true,
        },
  ]
}

/** Entities of the event: the resource of the service, and the row itself, which lets the trail be verified. */
function entitiesOf({
  id,
  hash,
  action,
  resourceId,
  handler,
  details,
  actor,
}: Omit<AuditRecord, 'isSigned'>): AuditEventEntity[] {
  const system = {
    system: 'http://terminology.hl7.org/CodeSystem/audit-entity-type',
    code: '2',
    display: 'System Object',
  }
  const role = (code: string, display: string) => ({
    system: 'http://terminology.hl7.org/CodeSystem/object-role',
    code,
    display,
  })
  const said: AuditDetails = {
    action,
    ...details,
    ...(handler !== undefined && { handler }),
    ...(actor.auth !== undefined && { authentication: actor.auth }),
  }
  const row: AuditEventEntity = {
    what: { identifier: { system: 'urn:pawl:audit', value: String(id) } },
    type: system,
    role: role('13', 'Security Resource'),
    detail: [
      { type: 'hash', valueString: hash },
      ...Object.entries(said).map(([type, value]) => ({ type, valueString: String(value) || '-' })),
    ],
  }
  if (resourceId === undefined) return [row]
  return [{ what: { identifier: { value: resourceId } }, type: system, role: role('4', 'Domain Resource') }, row]
}
