import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { startFhirServer } from '../../packages/testing/src/services/fhir-server.ts'
import { createApi } from '../../packages/client/src/api/client.ts'
import { ApiUnavailable } from '../../packages/client/src/api/api-errors.ts'
import { createFhirEhr } from '../../packages/ehr/src/fhir/fhir-ehr.ts'
import { storedTypes } from '../../packages/ehr/src/fhir/chart-types.ts'
import type { Ehr } from '../../packages/ehr/src/ehr.ts'
import { createMemoryPharmacy } from '../../packages/pharmacy/src/memory/memory-pharmacy.ts'
import { routedPharmacy } from '../../packages/pharmacy/src/routed-pharmacy.ts'
import { createSftpPharmacy } from '../../packages/pharmacy/src/sftp/sftp-pharmacy.ts'
import { createSignedHttpPharmacy } from '../../packages/pharmacy/src/signed-http/signed-http-pharmacy.ts'
import { pharmacyFrom } from '../../packages/pharmacy/src/pharmacy-from.ts'
import type { Pharmacy } from '../../packages/pharmacy/src/pharmacy.ts'
import { Message } from '../../packages/client/src/schemas/prior-authorization.ts'
import { createBreakers } from '../../src/systems/breakers.ts'
import type { System, SystemsByName } from '../../packages/connector/src/system.ts'
import { createSystems } from '../../src/systems/systems.ts'
import { recordStore, type RecordStore } from '../../templates/connector/record-store.ts'
import { rowOfPriorAuthorization } from '../../templates/report-rows-to-sql/report-row.ts'
import { type Reports, reportTable } from '../../templates/report-rows-to-sql/report-table.ts'
import { openHl7 } from '../../packages/ehr/test/hl7/open-hl7.ts'
import { startHl7Listener } from '../support/hl7-listener.ts'
import { captureLog } from '../support/log-capture.ts'
import { createTestRun, type TestRun } from '../support/run-context.ts'
import {
  sampleBenefitVerification,
  sampleMessage,
  samplePatient,
  samplePriorAuthorization,
  sampleTransfer,
} from '../support/samples.ts'

/** Where nothing listens: a request would fail. */
const nowhere = 'http://127.0.0.1:9'
const pa = samplePriorAuthorization()
const withTransfer = samplePriorAuthorization({ prescription_transfer: sampleTransfer() })
const record = { id: 'pa_req_1' }
const file = {
  key: 'letter',
  kind: 'letter' as const,
  title: 'Letter',
  content: new Uint8Array([1]),
  contentType: 'application/pdf',
}

const skipsAll = createFhirEhr({
  baseUrl: nowhere,
  identifierBase: 'https://clinic.example/id',
  strategies: Object.fromEntries(storedTypes.map((type) => [type, 'skip' as const])),
})
const chart = createFhirEhr({ baseUrl: nowhere, identifierBase: 'https://clinic.example/id' })
const secret = `whsec_${Buffer.from('a secret of this test alone, no other').toString('base64')}`
const signed = createSignedHttpPharmacy({ url: nowhere, secrets: [secret] })
const sftp = createSftpPharmacy({
  host: '127.0.0.1',
  port: 9,
  username: 'pawl',
  hostKeys: [],
  folder: '/in',
  format: 'ndjson',
  batchMs: 0,
})
const table = pharmacyFrom({ PHARMACY_URL: 'postgres://pawl:pawl@127.0.0.1:9/pharmacy' } as never)

const fhir = await startFhirServer()
await fhir.admit(samplePatient)
afterAll(() => fhir.close())
const written = createFhirEhr({ baseUrl: fhir.url, identifierBase: 'https://clinic.example/id' })
const listener = await startHl7Listener()
const told = openHl7(listener.port)
afterAll(async () => {
  await told.close?.()
  await listener.close()
})
const row = rowOfPriorAuthorization(pa)
const toldAt = new Date('2026-03-02T09:00:00Z')

/** A call, and what the run before it did. */
type Idle = readonly [
  system: System<object>,
  call: (port: object) => Promise<unknown>,
  before?: (run: TestRun) => Promise<unknown>,
]
const ofEhr = (system: System<Ehr>, call: (ehr: Ehr) => Promise<unknown>): Idle => [
  system,
  (port: object) => call(port as Ehr),
]
const ofPharmacy = (system: System<Pharmacy>, data = pa): Idle => [
  system,
  (port: object) => (port as Pharmacy).putPrescriptionTransfer(data),
]

/** Calls of the ports that pawl ships, and of its templates, that return without a request. A table of `sqlTable` is asked by every call that reaches it. */
const calls: Record<string, Idle> = {
  'putPrescriptionTransfer of a PA without a transfer, to the chart': ofEhr(chart, (ehr) =>
    ehr.putPrescriptionTransfer(pa),
  ),
  'putPriorAuthorization, of which the chart takes nothing': ofEhr(skipsAll, (ehr) => ehr.putPriorAuthorization(pa)),
  'putMessage, of which the chart takes nothing': ofEhr(skipsAll, (ehr) =>
    ehr.putMessage(pa, Message.parse(sampleMessage())),
  ),
  'putBenefitVerification, of which the chart takes nothing': ofEhr(skipsAll, (ehr) =>
    ehr.putBenefitVerification(sampleBenefitVerification()),
  ),
  'putPrescriptionTransfer, of which the chart takes nothing': ofEhr(skipsAll, (ehr) =>
    ehr.putPrescriptionTransfer(withTransfer),
  ),
  'openStaffTask, of which the chart takes nothing': ofEhr(skipsAll, (ehr) =>
    ehr.openStaffTask(pa, { reason: 'awaiting_review', title: 'Review it' }),
  ),
  'closeStaffTask, of which the chart takes nothing': ofEhr(skipsAll, (ehr) => ehr.closeStaffTask(pa, 'completed')),
  'putFile, of which the chart takes nothing': ofEhr(skipsAll, (ehr) => ehr.putFile(pa, file)),
  'tellOfFile, of which the chart takes nothing': ofEhr(skipsAll, (ehr) => ehr.tellOfFile(pa, file)),
  'putNote, of which the chart takes nothing': ofEhr(skipsAll, (ehr) =>
    ehr.putNote(pa, { key: 'note', title: 'Note', text: 'Nothing new.' }),
  ),
  'a PA without a transfer, to a pharmacy over HTTP': ofPharmacy(signed),
  'a PA without a transfer, to a pharmacy over SFTP': ofPharmacy(sftp),
  'a PA without a transfer, to the table of a pharmacy': ofPharmacy(table),
  'a PA without a transfer, to several pharmacies': ofPharmacy(routedPharmacy({ routes: new Map(), fallback: signed })),
  'a transfer that names no pharmacy yet, to several': ofPharmacy(
    routedPharmacy({ routes: new Map() }),
    samplePriorAuthorization({ prescription_transfer: { status: 'created' }, ndp_submission: undefined }),
  ),
  'a PA without a transfer, to a pharmacy in memory': ofPharmacy(createMemoryPharmacy()),
  'a transfer of a pharmacy that only reads the feed, beside one that is sent notices': ofPharmacy(
    pharmacyFrom({
      NODE_ENV: 'test',
      PHARMACY_URL: nowhere,
      PHARMACY_SECRET: [secret],
      PHARMACY_FEED_KEYS: { reader: { ncpdp_ids: ['7654321'], key: ['k'.repeat(32)], push: false } },
    }),
    withTransfer,
  ),
  'a PA without a transfer, to a chart by HL7 v2': ofEhr(openHl7(9), (ehr) => ehr.putPrescriptionTransfer(pa)),
  'closeStaffTask where none was opened, to a chart by HL7 v2': ofEhr(openHl7(9), (ehr) =>
    ehr.closeStaffTask(pa, 'completed'),
  ),
  'a PA as the chart has it': [
    written,
    (port) => (port as Ehr).putPriorAuthorization(withTransfer),
    async (run) => {
      await written.open(run).putPriorAuthorization(withTransfer)
      expect(run.receipts).not.toEqual([])
      fhir.setDown(true)
    },
  ],
  'a PA as a chart by HL7 v2 has it': [
    told,
    (port) => (port as Ehr).putPriorAuthorization(pa),
    async (run) => {
      await told.open(run).putPriorAuthorization(pa)
      expect(run.receipts).not.toEqual([])
      listener.answer(() => ({ code: 'AR' }))
    },
  ],
  ...Object.fromEntries(
    Object.entries({ HTTP: signed, SFTP: sftp, 'its table': table }).map(([way, pharmacy]) => [
      `a transfer as the pharmacy has it by ${way}`,
      [
        ...ofPharmacy(pharmacy, withTransfer),
        // Every pharmacy remembers a notice alike.
        (run: TestRun) => createMemoryPharmacy().open(run).putPrescriptionTransfer(withTransfer),
      ],
    ]),
  ),
  'a row that the table of reports has': [
    reportTable({ REPORT_URL: 'postgres://pawl:pawl@127.0.0.1:9/reports', REPORT_TABLE: 'pawl_report' }),
    (port) => (port as Reports).putRow(row, toldAt),
    async ({ memory, digest }) => {
      const version = toldAt.toISOString()
      await memory.write('first-told', { id: row.id, version })
      await memory.write('status', { id: row.status, version })
      const times = { first_told_at: toldAt, status_told_at: toldAt, ended_at: null }
      await memory.write('row', { id: row.id, version: '1', digest: digest(JSON.stringify([row, times])) })
    },
  ],
  'a record that the record store has': [
    recordStore({ RECORD_STORE_URL: nowhere }),
    (port) => (port as RecordStore).put(record),
    ({ memory, digest }) => memory.write('record', { id: 'pa_req_1', digest: digest(JSON.stringify(record)) }),
  ],
}

/** A system behind a breaker that an outage has opened, after its rest. */
async function startAway(systems: SystemsByName) {
  const time = { nowMs: 0 }
  const { log } = captureLog()
  const outages = { outages: async () => [], noteOutage: async () => {} }
  const breakers = createBreakers({
    systems: ['api', 'system'],
    cooldownMs: 1_000,
    outages,
    log,
    elapsed: () => time.nowMs,
  })
  const request = async (id: string, answer: () => Promise<void>) =>
    breakers.call('system', id, async (call) => {
      const { answered } = breakers.begin('system', id, 'PUT', [call])
      await answer()
      answered()
    })
  const unavailable = new ApiUnavailable({ method: 'GET', route: '/status' }, 'backoff')
  for (let n = 0; n < 5; n += 1) await request(`pa_req_${n}`, () => Promise.reject(unavailable)).catch(() => {})
  time.nowMs += 1_000
  const run = createTestRun()
  const api = createApi({ baseUrl: nowhere, token: 'token' })
  const { open } = createSystems({ systems, api, breakers, digest: run.digest })
  const claim = {
    resourceId: 'pa_req_new',
    kind: 'prior_authorization',
    owner: 'o',
    newestEventId: 1,
    retries: 0,
  } as const
  const ports = open({ ...run, claim, writes: [], leftOut: [], memoryOf: () => run.memory })
  return { breakers, request, ports, run }
}

for (const [what, [system, call, before]] of Object.entries(calls)) {
  it(`${what}, returns without a request, and does not show that its system is back`, async () => {
    const { breakers, request, ports, run } = await startAway({ system })
    await before?.(run)
    await call(ports.system ?? {})
    expect(breakers.states().system).toBe('open')
    await request('pa_req_asks', () => Promise.resolve())
    expect(breakers.states().system).toBe('closed')
    breakers.close()
  })
}

it('while one call of a run probes its system, another of the same run waits, and neither closes the breaker early', async () => {
  let answer = () => {}
  const port = {
    idle: () => sleep(1),
    write: () => new Promise<void>((resolve) => (answer = resolve)),
  }
  const system: System<typeof port> = {
    open: (run) => ({
      ...port,
      async write() {
        const { answered } = run.beginRequest('PUT /records/{id}')
        await port.write()
        answered()
      },
    }),
  }
  const { breakers, ports } = await startAway({ system })
  const opened = ports.system as typeof port
  const writes = opened.write()
  // The probe is on its way: the others wait.
  await expect(opened.idle()).rejects.toMatchObject({ code: 'system_down' })
  expect(breakers.states().system).toBe('half_open')
  answer()
  await writes
  expect(breakers.states().system).toBe('closed')
  await opened.idle()
  breakers.close()
})
