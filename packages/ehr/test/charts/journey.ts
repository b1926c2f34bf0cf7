import type { DocumentReference } from 'fhir/r4.js'
import type { Message } from '../../../client/src/schemas/prior-authorization.ts'
import { demandingAthenaPractice } from '../../../../test/support/charts/demanding/demanding-athenapractice.ts'
import { demandingCanvas } from '../../../../test/support/charts/demanding/demanding-canvas.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import { validatingMedplum } from '../../../../test/support/charts/demanding/validating.ts'
import { startAthenaOne } from '../../../../test/support/athena-one.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { startChart } from '../../../../test/support/charts/start-chart.ts'
import { startHl7Listener } from '../../../../test/support/hl7-listener.ts'
import { readPdf } from '../../../../test/support/read-pdf.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import {
  sampleBenefitVerification,
  sampleMessage,
  samplePatient,
  samplePriorAuthorization,
} from '../../../../test/support/samples.ts'
import { renderPdf } from '../../src/narrative/render-pdf.ts'
import type { ChartFile, Ehr } from '../../src/ehr.ts'
import type { ChosenFiling } from '../../src/filing.ts'
import { openAthena } from '../athena/open-athena.ts'
import { openHl7 } from '../hl7/open-hl7.ts'
import { bytesOf } from './chart-reading.ts'
import { createChartEhr, token } from './connect.ts'
import { encountersOf, nurseId, practitioners } from './people.ts'

/** athenaOne knows patients by whole numbers. */
const patient = { ...samplePatient, internal_id: '60178', mrn: '60178' }

export const approved = {
  status: 'completed',
  outcome: {
    result: 'Approved',
    detail_code: 'approval',
    detail: 'Approved for a year.',
    authorization_start_date: '2026-03-01',
    authorization_expiration: '2027-02-28',
  },
}
const states = [
  ...['created', 'processing', 'awaiting_outcome', 'awaiting_provider_response', 'validating_outcome'].map(
    (status) => ({ status }),
  ),
  approved,
]
export const message = sampleMessage({ attachments: [] })
export const files: readonly ChartFile[] = [
  {
    key: 'l',
    kind: 'letter',
    title: 'Letter of approval',
    at: '2026-03-01T15:00:00Z',
    contentType: 'application/pdf',
    content: renderPdf({ title: 'Letter of approval', lead: 'Approved for a year.', sections: [] }),
  },
  { key: 'f', kind: 'fax_received', title: 'Fax of the payer', contentType: 'image/tiff', content: Buffer.from('f') },
]

/** One PA with a message, a letter and a fax, and a BV: what its shipped handlers put into a chart. */
async function journey(openFor: (resourceId: string) => Ehr): Promise<void> {
  for (const state of states)
    await openFor('pa_req_1').putPriorAuthorization(samplePriorAuthorization({ ...state, patient }))
  const pa = samplePriorAuthorization({ ...approved, patient })
  await openFor('pa_req_1').putMessage(pa, message as Message)
  for (const file of files) await openFor('pa_req_1').putFile(pa, file)
  for (const status of ['pending', 'completed'])
    await openFor('bv_1').putBenefitVerification(sampleBenefitVerification({ status, patient }))
}

/** A document, message or task as a person sees it in a chart. */
export interface Seen {
  kind: 'document' | 'message' | 'task'
  title: string
  /** Status and author, as far as the chart shows them. */
  facts: string
  body: { html: string } | { text: string }
}

/** What the journey leaves in a chart. */
export interface Left {
  filed: number
  /** Files of which staff are told instead. */
  told: number
  /** Those of them that pawl's own list has, where the chart takes no task. */
  listed: number
  seen: readonly Seen[]
}

/** Runs of one process: what a resource's runs remember stays. */
function runsOf() {
  const runs = new Map<string, ReturnType<typeof createTestRun>>()
  const runFor = (resourceId: string) => {
    const run = runs.get(resourceId) ?? createTestRun({ resourceId })
    runs.set(resourceId, run)
    return run
  }
  const leftOutFiles = () =>
    [...runs.values()].flatMap(({ leftOuts }) => leftOuts.filter(({ type }) => type.startsWith('file/')))
  return { runFor, leftOutFiles }
}

const author = { reference: `Practitioner/${nurseId}` }

/** A chart with the patient, and the connector to it with what is filed by these settings. */
export async function openChart(
  profile: ChartProfile,
  filing: ChosenFiling = {},
  { mrn, date_of_birth: birthDate } = samplePatient,
) {
  const chart = await startChart(profile, { token })
  const patientId = chart.seedPatient({ mrn, birthDate, name: 'Testa Sample' })
  for (const resource of [...practitioners, ...encountersOf(patientId)]) chart.seed(resource)
  const system = createChartEhr(chart, {
    messageRecipient: 'Group/prior-authorizations',
    encounter: profile === demandingEpic ? { kind: 'newest', days: 30 } : undefined,
    documents: { author },
    filing,
  })
  return { chart, system }
}

type Play = (filing: ChosenFiling) => Promise<Left>

const byFhir =
  (profile: ChartProfile): Play =>
  async (filing) => {
    const { chart, system } = await openChart(profile, filing, patient)
    try {
      const { runFor, leftOutFiles } = runsOf()
      await journey((id) => system.open(runFor(id)))
      const told = chart.all('Task', ({ description }) => description?.startsWith('Look at a file') === true)
      const documents = await Promise.all(chart.all('DocumentReference').map(seenOf))
      const messages = chart.all('Communication').map((each): Seen => ({
        kind: 'message',
        title: each.topic?.text ?? each.category?.[0]?.text ?? 'Message',
        facts: join(each.status, each.sender?.display),
        body: { text: (each.payload ?? []).map(({ contentString }) => contentString).join('\n') },
      }))
      const tasks = chart.all('Task').map((each): Seen => ({
        kind: 'task',
        title: each.code?.text ?? 'Task',
        facts: join(each.status, each.owner?.display),
        body: { text: each.description ?? '' },
      }))
      return {
        filed: documents.length + messages.length,
        told: told.length + leftOutFiles().length,
        listed: leftOutFiles().length,
        seen: [...documents, ...messages, ...tasks],
      }
    } finally {
      await chart.close()
    }
  }

/** A document as its reader sees it. Canvas lists its comment; a list may keep no description. */
async function seenOf({ extension, description, type, docStatus, author, content }: DocumentReference): Promise<Seen> {
  const [{ attachment } = { attachment: undefined }] = content
  const { contentType = '', data, title } = attachment ?? {}
  const comment = extension?.find(({ url }) => url.endsWith('comment'))?.valueString
  const bytes = bytesOf(data)
  const body = /html/.test(contentType)
    ? { html: bytes.toString() }
    : { text: contentType === 'application/pdf' ? await textOfPdf(bytes) : textIn(contentType, bytes.toString()) }
  return {
    kind: 'document',
    title: comment ?? title ?? description ?? type?.text ?? 'Document',
    facts: join(docStatus, ...(author ?? []).map(({ display }) => display)),
    body,
  }
}

function textIn(contentType: string, text: string): string {
  if (!/rtf/.test(contentType)) return contentType.startsWith('text/') ? text : `(${contentType})`
  return text
    .replaceAll(/\{\\(fonttbl|info)[^{}]*(\{[^{}]*\}[^{}]*)*\}/g, '')
    .replaceAll(/\n/g, '')
    .replaceAll(/\\(par|line)\b ?/g, '\n')
    .replaceAll(/\\tab\b ?/g, ' ')
    .replaceAll(/\\[a-z]+-?\d* ?|[{}]/g, '')
    .trim()
}

const byHl7: Play = async (filing) => {
  const listener = await startHl7Listener()
  const system = openHl7(listener.port, { filing })
  try {
    const { runFor, leftOutFiles } = runsOf()
    await journey((id) => system.open(runFor(id)))
    const seen = listener.documents().map(({ message: held }): Seen => {
      const lines = held.getAllSegments('OBX').map((obx) => obx.getField(5).toString())
      const isFile = held.getSegment('OBX')?.getField(2).toString() === 'ED'
      return {
        kind: 'document',
        title: (isFile ? held.getSegment('OBX')?.getComponent(3, 5) : lines[0]) ?? 'Document',
        facts: join(held.getSegment('TXA')?.getField(17).toString()),
        body: { text: isFile ? '(application/pdf)' : lines.join('\n') },
      }
    })
    return { filed: seen.length, told: leftOutFiles().length, listed: leftOutFiles().length, seen }
  } finally {
    await system.close?.()
    await listener.close()
  }
}

const byAthena: Play = async (filing) => {
  const athena = await startAthenaOne()
  const [year, month, day] = patient.date_of_birth.split('-')
  athena.addPatient(patient.mrn, `${month}/${day}/${year}`)
  const system = openAthena(athena.port, { filing })
  try {
    const { runFor, leftOutFiles } = runsOf()
    await journey((id) => system.open(runFor(id)))
    const live = athena.documents().filter(({ status }) => status !== 'DELETED')
    const seen = await Promise.all(
      live.map(async ({ internalnote, status, subclass, pdf }): Promise<Seen> => ({
        kind: 'document',
        title: internalnote.replace(/ \([0-9a-f]+\)$/, ''),
        facts: join(status, subclass),
        body: { text: await textOfPdf(pdf) },
      })),
    )
    return { filed: seen.length, told: leftOutFiles().length, listed: leftOutFiles().length, seen }
  } finally {
    await system.close?.()
    await athena.close()
  }
}

async function textOfPdf(pdf: Buffer): Promise<string> {
  const { pages } = await readPdf(pdf)
  return pages.join('\n')
}

function join(...facts: (string | undefined)[]): string {
  return facts.filter(Boolean).join(', ')
}

/** The charts of the tests that hold to what a vendor demands, and the ways without FHIR. */
export const charts: readonly (readonly [name: string, play: Play])[] = [
  ['Epic', byFhir(demandingEpic)],
  ['athenaPractice', byFhir(demandingAthenaPractice)],
  ['Canvas', byFhir(demandingCanvas)],
  ['athenaOne', byAthena],
  ['HL7 v2', byHl7],
  ['Oracle Health', byFhir(demandingOracleHealth)],
  ['Medplum', byFhir(validatingMedplum)],
]
