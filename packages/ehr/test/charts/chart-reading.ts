import type { DocumentReference, FhirResource, Identifier, Task } from 'fhir/r4.js'
import type { Interaction, ResourceType } from '../../../../test/support/charts/profile.ts'
import type { Chart } from '../../../../test/support/charts/start-chart.ts'
import { readPdf } from '../../../../test/support/read-pdf.ts'

/** Every type that the gateway may write. */
export const writtenTypes = [
  'Task',
  'ClaimResponse',
  'CoverageEligibilityResponse',
  'Coverage',
  'Communication',
  'DocumentReference',
] as const satisfies ResourceType[]

/** Name of a resource below the gateway's identifier base. */
export interface OwnName {
  /** The last part of the system, for example `prior-authorization`. */
  kind: string
  value: string
}

/** The gateway's own name of a resource; undefined where somebody else wrote it. */
export function ownNameOf(resource: FhirResource, base: string): OwnName | undefined {
  // The compiler cannot see that `identifier` is a list of these, or one, in every type.
  const identifiers = [Reflect.get(resource, 'identifier') ?? []].flat() as Identifier[]
  const own = identifiers.find(({ system }) => system?.startsWith(`${base}/`))
  return own && { kind: own.system?.slice(base.length + 1) ?? '', value: own.value ?? '' }
}

/** Whether a name is one of the service's resource, or of something that belongs to it. */
export function isAbout(name: OwnName | undefined, resourceId: string): boolean {
  return name?.value === resourceId || name?.value.startsWith(`${resourceId}/`) === true
}

/** Everything of the gateway's that a chart holds, of one type or of all. */
export function ownResources(chart: Chart, base: string): FhirResource[] {
  return writtenTypes.flatMap<FhirResource>((type) =>
    chart.all(type).filter((resource) => ownNameOf(resource, base) !== undefined),
  )
}

/** Whether the chart lets a client do this with a type. */
export function takes({ profile }: Chart, type: ResourceType, interaction: Interaction): boolean {
  if (profile.foreign?.includes(type) === true) return false
  return profile.types[type]?.interactions.includes(interaction) ?? false
}

/** Whether a chart gets each state in a document that is updated; otherwise it gets results alone. */
export function getsStates(chart: Chart): boolean {
  return takes(chart, 'DocumentReference', 'update') && chart.profile.keepsDocuments !== true
}

/** How a chart shows a task's status: some have three of FHIR's alone. */
export function taskStatusIn({ profile }: Chart, status: Task['status']): Task['status'] {
  if (profile.taskStatuses === undefined || profile.taskStatuses.includes(status)) return status
  if (status === 'failed') return 'completed'
  return status === 'rejected' ? 'cancelled' : 'requested'
}

/** The documents that a reader of the chart takes for valid: neither superseded by status nor replaced by another one. */
export function currentDocuments(documents: readonly DocumentReference[]): DocumentReference[] {
  const replaced = new Set(
    documents
      .flatMap(({ relatesTo = [] }) => relatesTo)
      .filter(({ code }) => code === 'replaces')
      .map(({ target }) => target.reference?.split('/').at(-1)),
  )
  return documents.filter(({ id, status }) => status === 'current' && !replaced.has(id))
}

/** Texts of PDFs by their data, once they were read. */
const pdfTexts = new Map<string, string>()

/** Reads the PDFs of a chart, so that `textOf` knows them. Other files have no text. */
export async function readPdfs(chart: Chart): Promise<void> {
  const attachments = chart.all('DocumentReference').flatMap(({ content }) => content.map((each) => each.attachment))
  for (const { contentType, data = '' } of attachments)
    if (contentType === 'application/pdf' && !pdfTexts.has(data)) pdfTexts.set(data, await pdfText(bytesOf(data)))
}

async function pdfText(content: Buffer): Promise<string> {
  if (!content.subarray(0, 5).equals(Buffer.from('%PDF-'))) return ''
  const { pages } = await readPdf(content)
  return pages.join('').replaceAll(/\s+/g, ' ')
}

/** A document as its reader sees it: its text, without the marks of XHTML, HTML, RTF or PDF. */
export function textOf({ content }: DocumentReference): string {
  return content.map(({ attachment: { contentType = '', data = '' } }) => textIn(contentType, data)).join('\n')
}

function textIn(contentType: string, data: string): string {
  if (contentType === 'application/pdf') return pdfTexts.get(data) ?? ''
  const text = bytesOf(data).toString()
  if (/rtf/.test(contentType))
    return text.replaceAll(/\\(par|line|tab)\b ?/g, ' ').replaceAll(/\\[a-z]+-?\d* ?|[{}\n]/g, '')
  if (!/^text\/|xhtml/.test(contentType)) return ''
  return text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&#39;', "'")
}

/** Attached content as it was before Base64. */
export function bytesOf(data = ''): Buffer {
  return Buffer.from(data, 'base64')
}

/** A resource with all its texts, to look for words in. */
export function wordsOf(resource: FhirResource): string {
  const text = resource.resourceType === 'DocumentReference' ? textOf(resource) : ''
  return `${JSON.stringify(resource)}\n${text}`
}

/** What a reader of the chart sees twice: two resources for one thing, or two documents of a patient with the same words or file. */
export function duplicatesIn(chart: Chart, base: string): string[] {
  const documents = chart.all('DocumentReference', (each) => ownNameOf(each, base) !== undefined)
  const others = ownResources(chart, base).filter(({ resourceType }) => resourceType !== 'DocumentReference')
  const names = [...others, ...currentDocuments(documents)].map((each) => {
    const { kind, value } = ownNameOf(each, base) ?? {}
    return `${each.resourceType} ${kind} ${value}`
  })
  // Where a chart does not show which document another one replaces, its reader sees both.
  const { drops = [], hides = [] } = chart.profile.types.DocumentReference ?? {}
  const showsLinks = ![...drops, ...hides].includes('relatesTo')
  const contents = (showsLinks ? currentDocuments(documents) : documents).map(
    ({ subject, content: [first] }) => `a document with ${subject?.reference}: ${first?.attachment.data}`,
  )
  return [names, contents].flatMap((all) => all.filter((each, index) => all.indexOf(each) !== index))
}

/** Says so where a text lacks a value that it should hold; a code may stand there in words. */
export function absent(text: string, value: unknown, where: string): string[] {
  if (typeof value !== 'string' || text.includes(value)) return []
  const words = value.charAt(0).toUpperCase() + value.slice(1).replaceAll('_', ' ')
  return /^[a-z_]+$/.test(value) && text.includes(words) ? [] : [`${where} lacks "${value}"`]
}

/** Says so where a text lacks a value right behind its label (the source of a pattern): alone, a number or a word may stand there for something else. */
export function unlabelled(text: string, label: string, value: string | number | undefined): string[] {
  const isThere = value === undefined || new RegExp(`\\b${label}\\W*${value}(?!\\d)`).test(text)
  return isThere ? [] : [`document lacks "${label}: ${value}"`]
}

/** Says so where a text holds a value too soon. */
export function present(text: string, value: unknown, where: string): string[] {
  return typeof value !== 'string' || !text.includes(value) ? [] : [`${where} says "${value}" too soon`]
}
