import type { CodeableConcept, Communication, DocumentReference, Reference, Task } from 'fhir/r4.js'
import { essenceOf } from '../../shown-types.ts'
import type { StoredType } from '../chart-types.ts'
import type { DocumentSettings } from '../settings.ts'
import { textual } from './conform.ts'
import { demandsInWords } from './demands-in-words.ts'
import type {
  Demand,
  DocumentDemands,
  MessageDemands,
  PractitionerDemand,
  TaskDemands,
  VendorProfile,
} from './profile.ts'
import { demandsOf, vendorProfiles } from './vendor-profiles.ts'

/** Whether a resource as sent misses each part that a profile may demand of its type. */
type Misses<Resource, Demands> = {
  [Part in keyof Demands]?: (
    sent: Partial<Resource>,
    is: Demands[Part] extends Demand<infer Is> | undefined ? Is : never,
  ) => boolean
}

const documentMisses: Misses<DocumentReference, DocumentDemands> = {
  attachments: ({ content = [] }, max) => content.length > max,
  contentTypes: ({ content = [] }, types) =>
    content.some(({ attachment }) => !types.includes(essenceOf(attachment.contentType ?? ''))),
  charset: ({ content = [] }) =>
    content.some(
      ({ attachment: { contentType = '' } }) =>
        textual.test(essenceOf(contentType)) && !/;\s*charset=/i.test(contentType),
    ),
  docStatus: ({ docStatus }, taken) => !taken.some((each) => each === docStatus),
  period: ({ context }) => context?.period?.end?.includes('T') !== true,
  encounter: ({ context }) => context?.encounter === undefined,
  author: ({ author }, demand) => lacksPractitioner(author, demand),
  authenticator: ({ authenticator }, demand) => lacksPractitioner(authenticator && [authenticator], demand),
  type: ({ type }, is) => !hasCodes(type, is),
  category: ({ category }, is) => category?.some((each) => hasCodes(each, is)) !== true,
  description: ({ description }, is) => description !== is,
  extensions: ({ extension = [] }, demanded) =>
    demanded.some(({ url }) => !extension.some((each) => each.url === url && Object.keys(each).length > 1)),
}

const taskMisses: Misses<Task, TaskDemands> = {
  statuses: ({ status }, replacements) => status !== undefined && (replacements[status] ?? status) !== status,
  intent: ({ intent }, is) => intent !== is,
  requester: ({ requester }, demand) => lacksPractitioner(requester && [requester], demand),
  owner: ({ owner }, demand) => lacksPractitioner(owner && [owner], demand),
  isTextual: ({ description }) => description === undefined,
}

const messageMisses: Misses<Communication, MessageDemands> = {
  category: ({ category }, is) => category?.some((each) => hasCodes(each, is)) !== true,
  sender: ({ sender }, demand) => lacksPractitioner(sender && [sender], demand),
  recipient: ({ recipient = [] }, types) => !recipient.some((each) => types.some((type) => isOf(type, each))),
  attachment: ({ payload = [] }, type) =>
    payload.some(({ contentAttachment }) => essenceOf(contentAttachment?.contentType ?? '') !== type),
}

const misses: Partial<Record<StoredType, Readonly<Record<string, unknown>>>> = {
  DocumentReference: documentMisses,
  Task: taskMisses,
  Communication: messageMisses,
}

const isOf = (type: string, { reference }: Reference) => reference?.split('/').at(-2) === type

function lacksPractitioner(named: readonly Reference[] = [], demand: PractitionerDemand): boolean {
  return named.length === 0 ? demand === 'demanded' : !named.every((each) => isOf('Practitioner', each))
}

function hasCodes(held: CodeableConcept | undefined, { coding = [] }: CodeableConcept): boolean {
  return coding.every(({ system, code }) =>
    held?.coding?.some((each) => each.code === code && (system === undefined || each.system === system)),
  )
}

/**
 * The vendor's demands that a refused resource misses as it was sent, each group with its source, as a clause; where it visibly misses none, or the
 * resource is not known, all that it may have missed. What a setting leaves out is still a demand of the vendor. Undefined if none is known.
 */
export function missedDemands(
  type: StoredType,
  sent: object | undefined,
  { profile, documents }: { profile: VendorProfile; documents: DocumentSettings },
): string | undefined {
  const whole = withVendors(profile)
  const words = demandsInWords(type, whole, documents)
  if (words.size === 0) return undefined
  const demands = Object.entries(demandsOf(whole, type)) as [string, Demand<never>][]
  const known = demands.flatMap(([part, demand]) => {
    const said = words.get(part)
    return said === undefined ? [] : [{ part, demand, said }]
  })
  const missed = known.filter(({ part, demand }) => {
    // The keys of both are the parts of the type.
    const isMissed = misses[type]?.[part] as ((sent: object, is: never) => boolean) | undefined
    return sent !== undefined && isMissed?.(sent, demand.is) === true
  })
  return missed.length > 0
    ? `it misses demands of ${profile.title}: ${cite(missed)}`
    : `it may have missed a demand of ${profile.title}: ${cite(known)}`
}

/** The profile with the demands of its vendor that settings leave out. */
function withVendors(profile: VendorProfile): VendorProfile {
  const vendors = vendorProfiles[profile.name]
  return {
    ...profile,
    DocumentReference: { ...vendors.DocumentReference, ...profile.DocumentReference },
    Task: { ...vendors.Task, ...profile.Task },
    Communication: { ...vendors.Communication, ...profile.Communication },
  }
}

/** Demands in words, those of one source together. */
function cite(demands: readonly { demand: Demand<unknown>; said: string }[]): string {
  const bySource = new Map<string, string[]>()
  for (const {
    demand: { source, lookedUp },
    said,
  } of demands) {
    const cited = lookedUp === undefined ? source : `${source}, ${lookedUp}`
    bySource.set(cited, [...(bySource.get(cited) ?? []), said])
  }
  return [...bySource].map(([source, said]) => `${said.join('; ')} (${source})`).join('; ')
}
