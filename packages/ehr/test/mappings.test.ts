import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Attachment, FhirResource } from 'fhir/r4.js'
import { format, resolveConfig } from 'prettier'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ChartFile, ChartNote, Ehr, StaffTask, TaskEnding } from '../src/ehr.ts'
import { storedTypes } from '../src/fhir/chart-types.ts'
import type { FhirEhrOptions } from '../src/fhir/fhir-ehr.ts'
import type { MdmOptions } from '../src/hl7/mdm-message.ts'
import type { Content } from '../src/hl7/settings.ts'
import { tellTransfer } from '../../pharmacy/src/tell-transfer.ts'
import { TransferNotice } from '../../pharmacy/src/transfer-notice.ts'
import { BenefitVerification } from '../../client/src/schemas/benefit-verification.ts'
import { PriorAuthorization } from '../../client/src/schemas/prior-authorization.ts'
import { faultsOf } from '../../../test/support/fhir-validators.ts'
import { type Hl7Listener, startHl7Listener } from '../../../test/support/hl7-listener.ts'
import { readJsonFixture } from '../../../test/support/read-fixture.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { mdm, openHl7 } from './hl7/open-hl7.ts'
import { readByMedplum, readers } from './hl7/read-mdm.ts'
import { firstWrittenAt, startMappedChart } from './mapped-chart.ts'

/** A document of the service, with the options that matter and the rest that is written of it. */
interface Input {
  fhir?: Partial<FhirEhrOptions>
  /** Absent: no message is written. */
  hl7?: Partial<MdmOptions> & { content?: Content }
  document: { id: string }
  staffTask?: StaffTask
  /** How the staff task ends after it was opened. */
  ending?: TaskEnding
  file?: TextFile
  /** Of the message. */
  files?: TextFile[]
  note?: ChartNote
}
type TextFile = Omit<ChartFile, 'content'> & { content: string }

const fixtures = fileURLToPath(new URL('../../../test/fixtures/mappings/', import.meta.url))
const paths = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('.'))
const cases = paths.flatMap((path) => (path.endsWith('.input.json') ? path.slice(0, -'.input.json'.length) : []))
const isUpdate = process.env.UPDATE_GOLDEN === '1'
if (isUpdate && process.env.CI === 'true') throw new Error('UPDATE_GOLDEN=1 is for a person who reads the difference.')

let listener: Hl7Listener
beforeAll(async () => {
  listener = await startHl7Listener()
})
afterAll(() => listener.close())

it('every output has an input', () => {
  expect(
    paths.filter((path) => !cases.some((name) => [`${name}.input.json`, `${name}.output.json`].includes(path))),
  ).toEqual([])
  expect(cases.length).toBeGreaterThan(80)
})

it.each(cases)('%s', async (name) => {
  // Each input is written for this test.
  const input = readJsonFixture(join(fixtures, `${name}.input.json`)) as Input
  const output = { ...(await inFhir(name, input)), ...(await inHl7(name, input)), ...(await atPharmacy(name, input)) }
  const path = join(fixtures, `${name}.output.json`)
  if (isUpdate) {
    const options = await resolveConfig(path)
    await writeFile(path, await format(JSON.stringify(output), { ...options, filepath: path }))
  }
  expect(existsSync(path), `${path} is missing: UPDATE_GOLDEN=1 writes it`).toBe(true)
  expect(JSON.parse(JSON.stringify(output)), `${path}: UPDATE_GOLDEN=1 rewrites it`).toEqual(
    JSON.parse(readFileSync(path, 'utf8')),
  )
})

/** Writes an input as a handler does; the folder of its case names the method. */
async function write(
  ehr: Ehr,
  name: string,
  { document, staffTask, ending, file, files = [], note }: Input,
): Promise<void> {
  const isBv = document.id.startsWith('bv_')
  const subject = isBv ? BenefitVerification.parse(document) : PriorAuthorization.parse(document)
  const pa = PriorAuthorization.parse(document)
  const [message] = pa.message_thread?.messages ?? []
  const kind = name.split('/')[0]
  if (kind === 'prior-authorization') return ehr.putPriorAuthorization(pa)
  if (kind === 'benefit-verification') return ehr.putBenefitVerification(BenefitVerification.parse(document))
  if (kind === 'prescription-transfer') return ehr.putPrescriptionTransfer(pa)
  if (kind === 'message' && message !== undefined) return ehr.putMessage(pa, message, files.map(asBytes))
  if (kind === 'file' && file !== undefined) return ehr.putFile(subject, asBytes(file))
  if (kind === 'note' && note !== undefined) return ehr.putNote(subject, note)
  if (kind !== 'staff-task' || staffTask === undefined) throw new Error(`${name} says nothing to write.`)
  await ehr.openStaffTask(subject, staffTask)
  if (ending !== undefined) await ehr.closeStaffTask(subject, ending, staffTask.key)
}

const asBytes = (file: TextFile): ChartFile => ({ ...file, content: Buffer.from(file.content) })

/** The resources that the chart then holds, each valid and of its patient, whose data no state or determination repeats. */
async function inFhir(name: string, input: Input) {
  const { chart, open } = await startMappedChart(input.fhir)
  try {
    await write(open(), name, input)
  } finally {
    await chart.close()
  }
  const held = storedTypes.flatMap((type): FhirResource[] => chart.all(type))
  for (const resource of held) {
    expect(faultsOf(resource)).toEqual([])
    expect(JSON.stringify(resource)).toContain('"Patient/17"')
    if (resource.resourceType === 'Task' || resource.resourceType === 'ClaimResponse')
      expect(JSON.stringify(resource)).not.toMatch(/Testa|1970-01-31|MRN-0007|Nowhere|555-01/)
  }
  return { fhir: held.map(({ id: _id, meta: _meta, ...resource }) => readable(resource)) }
}

/** With the text of an attachment in place of its bytes. */
function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable)
  if (typeof value !== 'object' || value === null) return value
  if (!('data' in value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, readable(each)]))
  const { data, size, hash: sha1, ...attachment } = value as Attachment
  const bytes = Buffer.from(data ?? '', 'base64')
  expect({ size, sha1 }).toEqual({ size: bytes.length, sha1: hash('sha1', bytes, 'base64') })
  return { ...attachment, text: bytes.toString().split('\n') }
}

/** The messages, a line for each segment, as two libraries read them alike. */
async function inHl7(name: string, input: Input) {
  if (input.hl7 === undefined) return {}
  const { content = 'TX', ...options } = input.hl7
  const before = listener.received.length
  const clock = { now: () => Date.parse(firstWrittenAt) }
  const system = openHl7(listener.port, { mdm: { ...mdm, ...options }, content, clock })
  // A message's ids come of the resource's: the listener answers two messages with one id once.
  try {
    await write(system.open(createTestRun({ resourceId: name })), name, input)
  } finally {
    await system.close?.()
  }
  const texts = listener.received.slice(before).map((message) => message.toString())
  for (const text of texts) {
    for (const read of readers) expect(read(text)).toEqual(readByMedplum(text))
    expect(readByMedplum(text)).toMatchObject({ patientNumber: 'patient-7', lastName: 'Sample', firstName: 'Testa' })
  }
  return { hl7: texts.map((text) => text.trimEnd().split('\r')) }
}

/** The notice to the pharmacy, which fits its schema. */
async function atPharmacy(name: string, { document }: Input) {
  if (!name.startsWith('prescription-transfer/')) return {}
  const notices: TransferNotice[] = []
  await tellTransfer(PriorAuthorization.parse(document), createTestRun(), {
    clock: { now: () => Date.parse(firstWrittenAt) },
    send: async (notice) => void notices.push(notice),
  })
  expect(notices.map((notice) => TransferNotice.parse(notice))).toEqual(notices)
  return { notices }
}
