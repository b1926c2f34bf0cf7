import type { StoredType } from '../chart-types.ts'
import { type DocumentSettings, documentsFor } from '../settings.ts'
import type { Demand, PractitionerDemand, VendorProfile } from './profile.ts'
import { demandsOf } from './vendor-profiles.ts'

/** What a chart demands of a type beyond R4, as pawl meets it: a noun phrase by part of the profile. */
export function demandsInWords(
  type: StoredType,
  profile: VendorProfile,
  documents: DocumentSettings,
): ReadonlyMap<string, string> {
  const { DocumentReference: document, Task: task, Communication: message } = profile
  const words: Partial<Record<StoredType, Record<string, string>>> = {
    DocumentReference: {
      contentTypes: `content as ${documentsFor(documents, profile).formats.join(' and ')}`,
      attachments: 'one attachment',
      charset: 'a charset',
      docStatus: `docStatus ${document.docStatus?.is.join(' or ') ?? ''}`,
      period: 'context.period.end',
      encounter: 'an encounter by FHIR_ENCOUNTER',
      type: 'its own type',
      category: 'its category',
      description: 'its own title',
      extensions: 'its extensions',
      author: `a practitioner as author${orNone(document.author)}`,
      authenticator: `an authenticator${orNone(document.authenticator)}`,
    },
    Task: {
      statuses: 'its statuses',
      intent: `intent ${task.intent?.is ?? ''}`,
      requester: `a practitioner as requester${orNone(task.requester)}`,
      owner: `a practitioner as owner${orNone(task.owner)}`,
      isTextual: 'everything in the description',
    },
    Communication: {
      category: 'its category',
      sender: `a practitioner as sender${orNone(message.sender)}`,
      recipient: `a ${message.recipient?.is.join(' or ') ?? ''} as recipient`,
      attachment: 'its words as an attachment',
    },
  }
  const demands = demandsOf(profile, type)
  const updateElements = `updates of ${demands.updateElements?.is.join(', ') ?? ''} alone`
  const stated = Object.entries({ ...words[type], updateElements })
  return new Map(stated.filter(([part]) => Reflect.get(demands, part) !== undefined))
}

function orNone(demand: Demand<PractitionerDemand> | undefined): string {
  return demand?.is === 'if-known' ? ', or none' : ''
}
