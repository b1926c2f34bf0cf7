import type { DocumentReference, Extension, FhirResource } from 'fhir/r4.js'
import { canvas } from '../canvas.ts'
import type { ChartProfile, Objection, TypeRules, WriteSeen } from '../profile.ts'
import { firstUnmet, isPractitioner } from './demands.ts'

const { DocumentReference: documents, Communication: messages, Task: tasks } = canvas.types
const none: TypeRules = { interactions: [], searchParams: ['_id'], versioning: 'no-version' }
const schema = 'http://schemas.canvasmedical.com/fhir'

/** Title and category by document type (API reference and migration guide of Canvas), as far as the tests use them. */
const kinds: Partial<Record<string, { title: string; category: string }>> = {
  '51851-4': { title: 'Uncategorized Administrative Document', category: 'patientadministrativedocument' },
  '52034-6': { title: 'Insurer Prior Authorization', category: 'patientadministrativedocument' },
  '34109-9': { title: 'Uncategorized Clinical Document', category: 'uncategorizedclinicaldocument' },
}
const reviewModes = ['RR', 'AR', 'RN']

const hiddenInTasks =
  'identifier basedOn partOf statusReason businessStatus priority code focus lastModified reasonCode output'

/** Canvas by its API reference: documents with its own category, type, title and extensions, as PDF; tasks with three statuses; messages go to the patient. */
export const demandingCanvas: ChartProfile = {
  ...canvas,
  name: 'Canvas',
  software: 'Canvas',
  foreign: ['Communication'],
  documentTypes: ['application/pdf'],
  taskStatuses: ['requested', 'cancelled', 'completed'],
  types: {
    ...canvas.types,
    DocumentReference: {
      ...(documents ?? none),
      hides: ['identifier', 'relatesTo', 'docStatus', 'context'],
      objection: documentObjection,
    },
    Communication: { ...(messages ?? none), objection: () => 'it would be shown to the patient' },
    Task: {
      ...(tasks ?? none),
      hides: hiddenInTasks.split(' '),
      complete: (resource) => resource,
      // Every note of an update is taken for a further one.
      updated: (resource, previous) =>
        resource.resourceType === 'Task' && previous.resourceType === 'Task'
          ? { ...resource, note: [...(previous.note ?? []), ...(resource.note ?? [])] }
          : resource,
      objection: taskObjection,
    },
  },
}

const unprocessable = { status: 422, code: 'processing' } as const

function documentObjection(resource: FhirResource, seen: WriteSeen): Objection | undefined {
  if (resource.resourceType !== 'DocumentReference') return undefined
  const { status, type, category = [], author = [], description, content } = resource
  const [coding, ...others] = type?.coding ?? []
  const kind = kinds[coding?.code ?? '']
  const [filedUnder] = category[0]?.coding ?? []
  const extension = (name: string) => extensionOf(resource, name)
  return firstUnmet(
    [
      [status === 'current', 'status'],
      [coding?.system === 'http://loinc.org' && kind !== undefined && others.length === 0, 'type'],
      [description === kind?.title, 'description'],
      [category.length === 1 && filedUnder?.system === `${schema}/document-reference-category`, 'category'],
      [filedUnder?.code === kind?.category, 'category'],
      [author.every((each) => isPractitioner(each, seen)), 'author'],
      [/^\d{4}-\d\d-\d\d$/.test(extension('clinical-date')?.valueDate ?? ''), 'extension: clinical date'],
      [isPractitioner(extension('reviewer')?.valueReference, seen), 'extension: reviewer'],
      [typeof extension('requires-signature')?.valueBoolean === 'boolean', 'extension: requires signature'],
      [
        isAbsentOr(extension('review-mode'), ({ valueCode = '' }) => reviewModes.includes(valueCode)),
        'extension: review mode',
      ],
      [isAbsentOr(extension('comment'), ({ valueString = '' }) => valueString !== ''), 'extension: comment'],
      [content.length === 1 && content[0]?.attachment.data !== undefined, 'content'],
      [content[0]?.attachment.contentType === 'application/pdf', 'content: application/pdf'],
    ],
    unprocessable,
  )
}

function isAbsentOr(extension: Extension | undefined, isRight: (given: Extension) => boolean): boolean {
  return extension === undefined || isRight(extension)
}

function extensionOf({ extension = [] }: DocumentReference, name: string) {
  return extension.find(({ url }) => url === `${schema}/document-reference-${name}`)
}

function taskObjection(resource: FhirResource, seen: WriteSeen): Objection | undefined {
  if (resource.resourceType !== 'Task') return undefined
  const { status, intent, description = '', requester, owner, input = [] } = resource
  return firstUnmet(
    [
      [demandingCanvas.taskStatuses?.includes(status) === true, 'status'],
      [intent === 'unknown', 'intent'],
      [description !== '', 'description'],
      [isPractitioner(requester, seen), 'requester'],
      [owner === undefined || isPractitioner(owner, seen), 'owner'],
      [input.every(({ type, valueString }) => type.text === 'label' && valueString !== undefined), 'input'],
    ],
    unprocessable,
  )
}
