import { z } from 'zod'
import { oneOf } from '@pawl/base/setting-types'
import type { StoredType } from '../chart-types.ts'

export const profileNames = ['r4', 'us-core', 'epic', 'oracle-health', 'canvas', 'athenapractice', 'medplum'] as const
export type ProfileName = (typeof profileNames)[number]

/** One demand of a vendor, with its source and the date of the look-up. */
export interface Demand<T> {
  is: T
  /** Address or name of the document, or the name of the setting. */
  source: string
  /** ISO date; absent for a setting. */
  lookedUp?: string
}

/** Demands of one vendor's chart beyond FHIR R4 and its CapabilityStatement, as data that mappings and plans follow. */
export interface VendorProfile {
  name: ProfileName
  /** The product's name. */
  title: string
  /** Recognises the chart by a name that its CapabilityStatement holds (software, publisher, title); absent: only by FHIR_PROFILE. */
  recognisedBy?: RegExp
  /** Rights (SMART 2) of the types that pawl writes there, as docs/ehr.md has the vendor register them; absent: all, for every type. */
  scopes?: Partial<Record<StoredType, 'crs' | 'crus'>>
  DocumentReference: DocumentDemands
  Task: TaskDemands
  Communication: MessageDemands
}

const word = z.string().min(1, 'must not be empty')
const words = z.array(word)
const demanded = z.literal(true, 'must be true, or null where it is not demanded')
const coding = z.strictObject({ system: word.optional(), code: word, display: word.optional() })
const concept = z.strictObject({ coding: z.array(coding).min(1, 'must have one'), text: word.optional() })
/** A Practitioner of the chart where R4 allows other references. `if-known`: or none at all. */
const practitioner = oneOf(['demanded', 'if-known'])
export type PractitionerDemand = z.infer<typeof practitioner>

/** An extension with one value: a fixed one, or one `from` the document. */
const extension = z
  .strictObject({
    url: word,
    valueString: word.optional(),
    valueBoolean: z.boolean().optional(),
    valueCode: word.optional(),
    valueCoding: coding.optional(),
    valueReference: z.strictObject({ reference: word }).optional(),
    from: oneOf(['date', 'practitioner', 'title']).optional(),
  })
  .refine((each) => Object.keys(each).length === 2, 'must have url and one value')
export type DemandedExtension = z.infer<typeof extension>

const taskStatus = oneOf([
  'draft',
  'requested',
  'received',
  'accepted',
  'rejected',
  'ready',
  'cancelled',
  'in-progress',
  'on-hold',
  'failed',
  'completed',
  'entered-in-error',
])

/** Demands that any type may have. */
const anyType = {
  /** Why pawl does not write the type although the chart states to take it: a clause. */
  unfit: word,
  /** The chart takes no update of it: a change is created anew. */
  neverUpdated: demanded,
  /** Elements to which the chart appends the values of an update: an update leaves them out. */
  appended: words,
  /** The only elements that an update may hold, beside resourceType and id; absent: all. */
  updateElements: words.min(1, 'must have one'),
  /** Elements that the chart takes and does not keep. */
  unkept: words,
}

/** The parts of each type that a profile may state; settings are checked by them, too. */
const parts = {
  DocumentReference: {
    ...anyType,
    /** Most attachments of a document. */
    attachments: z.int('must be a whole number').min(1, 'must be 1 or more'),
    /** MIME types without parameters, the best for a narrative first. */
    contentTypes: words.min(1, 'must have one'),
    /** MIME types on an update, where they are fewer. */
    updateContentTypes: words,
    /** Parameter of every textual content type. */
    charset: z.literal('utf-8', 'must be utf-8'),
    /** Allowed values; any other becomes the first. */
    docStatus: z.array(oneOf(['preliminary', 'final', 'amended', 'entered-in-error'])).min(1, 'must have one'),
    /** context.period.end, with a time. */
    period: demanded,
    /** context.encounter, an encounter of the patient. */
    encounter: demanded,
    author: practitioner,
    authenticator: practitioner,
    /** The only type, unless FHIR_DOCUMENT_TYPE names another. */
    type: concept,
    category: concept,
    /** The only title; the document's own title goes elsewhere. */
    description: word,
    extensions: z.array(extension),
  },
  Task: {
    ...anyType,
    /** Replacements of statuses that the chart does not take. */
    statuses: z.partialRecord(taskStatus, taskStatus),
    intent: oneOf([
      'unknown',
      'proposal',
      'plan',
      'order',
      'original-order',
      'reflex-order',
      'filler-order',
      'instance-order',
      'option',
    ]),
    requester: practitioner,
    owner: practitioner,
    /** The chart shows only `description` and labels: code, states, results and dates go there. */
    isTextual: demanded,
  },
  Communication: {
    ...anyType,
    category: concept,
    sender: practitioner,
    /** Types of recipient, of which FHIR_MESSAGE_RECIPIENT must name one; without one, messages are filed as documents. */
    recipient: words.min(1, 'must have one'),
    /** The words as one attachment of this content type, with charset. */
    attachment: word,
  },
}

type Demands<Parts extends z.ZodRawShape> = { [Part in keyof Parts]?: Demand<z.infer<Parts[Part]>> }
export type TypeDemands = Demands<typeof anyType>
export type DocumentDemands = Demands<typeof parts.DocumentReference>
export type TaskDemands = Demands<typeof parts.Task>
export type MessageDemands = Demands<typeof parts.Communication>

const partsOf = (shape: z.ZodRawShape) =>
  z
    .strictObject(Object.fromEntries(Object.entries(shape).map(([part, schema]) => [part, z.nullable(schema)])))
    .partial()

/** Parts of a profile by type that replace the vendor's; null: the chart does not demand it. */
export const profileOverrides = z
  .strictObject({
    DocumentReference: partsOf(parts.DocumentReference),
    Task: partsOf(parts.Task),
    Communication: partsOf(parts.Communication),
  })
  .partial()
export type ProfileOverrides = z.infer<typeof profileOverrides>

/** Makes the demands that one document states. */
export function demandsFrom(source: string, lookedUp: string) {
  return <T>(is: T): Demand<T> => ({ is, source, lookedUp })
}
