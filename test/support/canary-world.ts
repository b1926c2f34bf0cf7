import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { shippedHandlers } from '../../templates/index.ts'
import type { AnyHandler } from '../../src/work/handler.ts'
import { type LineAnswer, startLine } from '../../packages/testing/src/lines/line.ts'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import { canaries, everyCanary } from './canaries.ts'
import { type FhirServer, startFhirServer } from '../../packages/testing/src/services/fhir-server.ts'
import { captureLog, type LogCapture } from './log-capture.ts'
import { startRedis, type TestRedis } from './redis.ts'
import { sampleBenefitVerification, sampleMessage, samplePriorAuthorization, sampleTransfer } from './samples.ts'
import { startLocalGateway, type LocalGateway } from './start-local-gateway.ts'

/** pawl with real neighbours, all of which know the canaries and quote them whenever they can. */
export interface CanaryWorld {
  gateway: LocalGateway
  redis: TestRedis
  fhir: FhirServer
  log: LogCapture
  /** Requests to the pharmacy. */
  pharmacyGot: string[]
  /** Requests to the chart: method, address and body of each. */
  chartGot: string[]
  /** The bytes of all files of the ledger, as text. */
  readLedgerFiles(): Promise<string>
  close(): Promise<void>
}

/** The number of the patient. */
export const patientNumber = 'patient-of-the-canaries'

const patient = {
  internal_id: patientNumber,
  mrn: canaries.mrn,
  first_name: canaries.firstName,
  last_name: canaries.lastName,
  gender: 'female',
  date_of_birth: canaries.birthDate,
  phone: canaries.phone,
  address: { street: canaries.street, city: 'Sampletown', state_province: 'NY', zip_postal_code: '00000' },
}
const insurance = [
  { discrete_content: { member_number: canaries.memberNumber, member_name: canaries.lastName }, scanned_content: {} },
]

/** A PA or BV that holds every canary that a resource can hold. */
export function canaryResource(
  id: string,
  filesUrl = 'https://files.example',
): { id: string; [field: string]: unknown } {
  if (id.startsWith('bv_')) {
    const drugs = [{ name: canaries.drugName, dosage: canaries.directions, quantity: 1, coverage: 'covered' }]
    return sampleBenefitVerification({ id, patient, insurance, drugs, status_description: canaries.outcomeDetail })
  }
  const file = `${canaries.lastName}.pdf`
  const attachments = [{ id: 'att_1', file_name: file, url: `${filesUrl}/files/${file}?${canaries.memberNumber}` }]
  return samplePriorAuthorization({
    id,
    patient,
    insurance,
    status: 'completed',
    outcome: { result: 'Denied', detail: canaries.outcomeDetail, detail_code: 'unknown' },
    prescription: { drug_name: canaries.drugName, directions: canaries.directions, quantity: 1, days_supply: 30 },
    message_thread: { is_resolved: false, messages: [sampleMessage({ content: canaries.message, attachments })] },
    prescription_transfer: sampleTransfer(),
    unknown_field: { note: everyCanary },
    ...(id.includes('codes') && codesOfCanaries),
  })
}

/** Names that look like codes and like names of fields. */
const codesOfCanaries = {
  [canaries.lastName]: 1,
  [canaries.drugName.toLowerCase()]: { [canaries.firstName]: canaries.lastName },
  status: canaries.lastName.toLowerCase(),
  outcome: { result: canaries.lastName, detail_code: canaries.drugName.toLowerCase() },
  prescription_transfer: { status: canaries.firstName.toLowerCase(), error_code: canaries.lastName.toLowerCase() },
}

/** Rate limits and the id of a request, named by the answering server. */
const canaryHeaders = {
  'ratelimit-policy': `"${canaries.lastName}";q=100000;w=60`,
  ratelimit: `"${canaries.lastName}";r=99999;t=60, "${canaries.drugName}";r=99999;t=60`,
  'x-request-id': canaries.lastName,
}

const quoting = (status: number, body: unknown): LineAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const operationOutcome = (status: number) =>
  quoting(status, {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code: everyCanary, diagnostics: everyCanary, details: { text: everyCanary } }],
  })
const html = (status: number): LineAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<p>${everyCanary}`,
})

/** Answers of the service, by a word in the id. */
const serviceFaults: Record<string, LineAnswer | 'cut'> = {
  api404: quoting(404, { detail: everyCanary }),
  api422: quoting(422, { detail: [{ loc: ['body', everyCanary], msg: everyCanary, type: everyCanary }] }),
  api400: quoting(400, { status: 'error', error: { title: everyCanary, description: everyCanary, code: everyCanary } }),
  api500: quoting(500, { error: { code: 'unexpected_error', title: everyCanary } }),
  api401: html(401),
  apihtml: html(200),
  apishape: quoting(200, { status: 'success', data: everyCanary }),
  // Names that look like codes, wherever the service may choose one.
  apicode: quoting(400, { status: 'error', error: { title: everyCanary, code: canaries.lastName } }),
  apilocs: quoting(422, {
    detail: [{ loc: ['body', canaries.lastName, canaries.drugName], msg: everyCanary, type: canaries.firstName }],
  }),
  apiother: quoting(200, { status: 'success', data: { id: 'another', patient, status: 7 } }),
  apicut: 'cut',
}

/** Answers of the EHR, by a word in the address. */
const ehrFaults: Record<string, LineAnswer | 'cut'> = {
  ehr422: operationOutcome(422),
  ehr400: operationOutcome(400),
  ehr500: operationOutcome(500),
  ehr401: html(401),
  ehrhtml: html(200),
  ehrempty: quoting(200, { resourceType: everyCanary, id: everyCanary }),
  ehrcut: 'cut',
}

/** Answers of the pharmacy, by a word in the request. */
const pharmacyFaults: Record<string, LineAnswer | 'cut'> = {
  pharmacy400: quoting(400, { error: everyCanary }),
  pharmacy500: html(500),
  pharmacycut: 'cut',
}

/** Words to put into ids of PAs that go wrong on their way. */
export const faultWords: readonly string[] = [serviceFaults, ehrFaults, pharmacyFaults].flatMap(Object.keys)

function faultFor(faults: Record<string, LineAnswer | 'cut'>, text: string): LineAnswer | 'cut' | undefined {
  return Object.entries(faults).find(([word]) => text.includes(word))?.[1]
}

export async function startCanaryWorld(leaky: readonly AnyHandler[]): Promise<CanaryWorld> {
  const [redis, fhir] = await Promise.all([startRedis(), startFhirServer()])
  await fhir.admit(patient)
  const log = captureLog('debug')
  const [pharmacyGot, chartGot]: [string[], string[]] = [[], []]

  const service = await startFarSide(({ path }) => {
    if (path.startsWith('/files/')) return { status: 200, body: everyCanary, headers: { 'content-type': 'text/plain' } }
    const id = basename(path)
    const fault = faultFor(serviceFaults, id)
    if (fault === 'cut') return fault
    const answer = fault ?? quoting(200, { status: 'success', data: canaryResource(id, service.url) })
    return { ...answer, headers: { ...answer.headers, ...canaryHeaders } }
  })
  const ehr = await startLine({
    system: 'chart',
    target: new URL(fhir.url).origin,
    async before({ method, path, body }) {
      chartGot.push(`${method} ${path} ${body}`)
      const fault = faultFor(ehrFaults, path)
      if (fault === 'cut') throw new Error('The connection is cut.')
      return fault
    },
  })
  const pharmacy = await startFarSide(({ body }) => {
    pharmacyGot.push(body)
    const fault = faultFor(pharmacyFaults, body)
    return fault ?? { status: 204 }
  })
  const servers = [service, ehr, pharmacy]

  const gateway = await startLocalGateway(
    { log: log.log, handlers: [...shippedHandlers, ...leaky] },
    {
      // In development the log shows foreign errors; this capture never does.
      NODE_ENV: 'production',
      QUEUE_URL: redis.url,
      SEALING_KEYS: canaries.sealingKey,
      WEBHOOK_SECRETS: canaries.webhookSecret,
      ADMIN_PASSWORD: canaries.adminPassword,
      API_BASE_URL: service.url,
      API_TOKEN: canaries.apiToken,
      FHIR_BASE_URL: `${ehr.url(0)}${new URL(fhir.url).pathname}`,
      FHIR_TOKEN: canaries.fhirToken,
      PHARMACY_URL: pharmacy.url,
      PHARMACY_SECRET: canaries.pharmacySecret,
      RETRY_ATTEMPTS: '2',
    },
  )
  return {
    gateway,
    redis,
    fhir,
    log,
    pharmacyGot,
    chartGot,
    async readLedgerFiles() {
      const folder = dirname(gateway.databasePath)
      const names = await readdir(folder)
      const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))
      return contents.join('\n')
    },
    async close() {
      await gateway.destroy()
      await Promise.all([...servers, fhir, redis].map((each) => each.close()))
    },
  }
}
