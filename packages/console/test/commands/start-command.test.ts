import type { ClaimResponse, Coverage, FhirResource, MedicationRequest, Practitioner } from 'fhir/r4.js'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAdminClient } from '../../src/commands/admin-client.ts'
import { type Services, startServices } from '../../../testing/src/services/start-services.ts'
import { addStartCommand } from '../../src/commands/start-command.ts'
import { createApi } from '../../../client/src/api/client.ts'
import { ehrFrom, ehrSettings } from '../../../ehr/src/index.ts'
import { readConfig } from '../../../../src/settings/read-config.ts'
import { noDetours } from '../../../sandbox/src/platform.ts'
import { priorAuthorization } from '../../../sandbox/test/requests.ts'
import { startHl7Listener } from '../../../../test/support/hl7-listener.ts'
import { runCommand } from '../../../../test/support/run-command.ts'
import { startLocalGateway, testEnvironment, type LocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { webhookSecret } from '../../../../test/support/webhook.ts'
import { Command } from 'commander'

let services: Services
let gateway: LocalGateway
let order: string

beforeEach(async () => {
  services = await startServices({ sandbox: { seed: 5, speed: 200_000, detours: noDetours } })
  gateway = await startLocalGateway({}, services.settings)
  services.sandbox.controls.putWebhook({
    name: 'pawl',
    url: `${gateway.url}/webhooks`,
    secret: webhookSecret,
  })
  order = await services.fhir.prescribe()
  process.exitCode = undefined
})
afterEach(async () => {
  process.exitCode = undefined
  await gateway.destroy()
  await services.close()
})

const start = (...args: string[]) => runCommand(gateway.adminUrl, 'start', ...args)

/** The command with a person who gives these answers. */
async function startWith(answers: string[], ...args: string[]) {
  const lines: string[] = []
  const asked: string[] = []
  const program = new Command('pawl')
  addStartCommand(program, {
    ask: createAdminClient(() => ({ url: gateway.adminUrl, password: undefined })),
    print: (line) => void lines.push(line),
    askPerson: async (question) => {
      asked.push(question)
      return answers.shift() ?? ''
    },
  })
  await program.parseAsync(['start', ...args], { from: 'user' })
  return { output: lines.join('\n'), asked }
}

/** Replaces a resource of the chart. */
async function change<T extends FhirResource>(type: string, id: string, edit: (resource: T) => T) {
  const url = `${services.fhir.url}/${type}/${id}`
  const resource = edit((await (await fetch(url)).json()) as T)
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/fhir+json' },
    body: JSON.stringify(resource),
  })
  expect(answer.status).toBeLessThan(300)
}

function without<T extends object>(resource: T, field: keyof T): T {
  // Fields of a resource that are left out here are optional.
  return Object.fromEntries(Object.entries(resource).filter(([name]) => name !== field)) as T
}

const created = async () => (await gateway.ledger.listResources({ kind: 'prior_authorization' }, 10)).rows

it('starts a PA from a prescription of the chart, which ends approved in the same chart, by one command', async () => {
  const output = await start('pa', '--medication-request', order)
  const id = /Sent: (pa_req_\w+)/.exec(output)?.[1]
  expect(id).toBeDefined()
  expect(output).toContain('prescription.drug_name')
  const approved = await until('the determination in the chart', async () =>
    (await services.fhir.search('ClaimResponse')).find(
      ({ outcome, identifier }: ClaimResponse) => outcome === 'complete' && identifier?.[0]?.value === id,
    ),
  )
  expect(approved).toMatchObject({
    disposition: 'Approved',
    patient: { reference: `Patient/${services.fhir.patientId}` },
  })
  const trail = await gateway.ledger.listAudit({}, 20)
  const actions = trail.map(({ action, details }) => [action, details.prescription])
  expect(actions).toContainEqual(['request.draft', `MedicationRequest/${order}`])
  expect(actions).toContainEqual(['request.start', `MedicationRequest/${order}`])
})

it('starts one PA and one BV from a prescription, and refuses a second', async () => {
  await start('pa', '--medication-request', order)
  await expect(start('pa', '--medication-request', order)).rejects.toThrow(/pa_req_\w+ was already started/)
  await expect(start('pa', '--medication-request', order, '--again')).rejects.toThrow(/already started/)
  expect(await start('bv', '--medication-request', order)).toMatch(/Sent: bv_/)
  expect(await created()).toHaveLength(1)
})

it('sends nothing with --dry-run', async () => {
  expect(await start('pa', '--medication-request', order, '--dry-run')).toContain('patient.internal_id')
  expect(process.exitCode).toBeUndefined()
  expect(await created()).toHaveLength(0)
})

it('without a terminal lists what is missing, with where it would come from, and exits with 3', async () => {
  await change<MedicationRequest>('MedicationRequest', order, (each) => without(each, 'dispenseRequest'))
  await change<Coverage>('Coverage', 'example-coverage', (each) => without(each, 'subscriberId'))
  const output = await start('pa', '--medication-request', order)
  expect(output).toMatch(/insurance_content\.member_number +Coverage\.subscriberId +the chart has none/)
  expect(output).toMatch(/prescription\.days_supply +MedicationRequest\.dispenseRequest\.expectedSupplyDuration/)
  expect(process.exitCode).toBe(3)
  expect(await created()).toHaveLength(0)
  process.exitCode = undefined
  const given = ['insurance_content.member_number=M-1', 'prescription.quantity=4', 'prescription.days_supply=28']
  await start('pa', '--medication-request', order, ...given.flatMap((each) => ['--set', each]))
  expect(process.exitCode).toBeUndefined()
  expect(await created()).toHaveLength(1)
})

it('on a terminal asks for what is missing, again for what is unusable, and before it sends', async () => {
  await change<Practitioner>('Practitioner', 'example-prescriber', (each) => without(each, 'identifier'))
  await change<MedicationRequest>('MedicationRequest', order, (each) => ({
    ...each,
    dispenseRequest: { ...each.dispenseRequest, quantity: { value: 2.5 } },
  }))
  const { output, asked } = await startWith(['1234567893', 'four', '4', 'y'], 'pa', '--medication-request', order)
  expect(asked[0]).toContain('provider.npi')
  expect(asked[1]).toContain(
    'prescription.quantity (MedicationRequest.dispenseRequest.quantity: not a whole number above 0)',
  )
  expect(asked[2]).toContain('prescription.quantity (the given value')
  expect(asked[3]).toContain('Send it')
  expect(output).toContain('Sent: ')
})

it('sends no request without the consent of a person', async () => {
  const { output } = await startWith(['n'], 'pa', '--medication-request', order)
  expect(output).not.toContain('Sent')
  expect(process.exitCode).toBe(3)
  expect(await created()).toHaveLength(0)
})

it('follows the PA that the service has already, and asks the service no second time', async () => {
  const { API_BASE_URL: baseUrl, API_TOKEN: token } = services.settings
  const { id } = await createApi({ baseUrl, token }).createPriorAuthorization(priorAuthorization())
  services.sandbox.controls.failNext({
    operation: 'POST /prior-authorization',
    code: 'prescription_message_already_linked',
  })
  await expect(start('pa', '--medication-request', order)).rejects.toThrow(
    `The service has ${id} for this prescription already: pawl follows it, and created no other.`,
  )
  const asked = () => services.sandbox.controls.requestPage({ method: 'POST', path: '/prior-authorization' }).requests
  const before = asked().length
  await expect(start('pa', '--medication-request', order)).rejects.toThrow(`${id} was already started`)
  await expect(start('pa', '--medication-request', order, '--again')).rejects.toThrow(`${id} was already started`)
  expect(asked()).toHaveLength(before)
  await until('its snapshot', async () => (await gateway.ledger.history(id, 1, {}))?.resource.snapshotAt)
  expect(await runCommand(gateway.adminUrl, 'show', id)).toMatch(
    new RegExp(`start +chart +sent +MedicationRequest/${order}`),
  )
})

it('after a start without an answer asks to look at the service first', async () => {
  services.sandbox.controls.failNext({ operation: 'POST /prior-authorization', code: 'service_unavailable' })
  await expect(start('pa', '--medication-request', order)).rejects.toThrow()
  await expect(start('pa', '--medication-request', order)).rejects.toThrow('look for it there first')
  expect(await start('pa', '--medication-request', order, '--again')).toContain('Sent: ')
})

/** A gateway whose chart is the one of EHR_URL, as `src/integration` has it. */
async function startByHl7(settings: Record<string, string>): Promise<LocalGateway> {
  const env = await testEnvironment(settings)
  return startLocalGateway({ ehr: ehrFrom(readConfig(env, ehrSettings).settings) }, env)
}

it('starts a PA where documents go by HL7 v2 and FHIR is beside it, and the result arrives there', async () => {
  const listener = await startHl7Listener()
  await gateway.destroy()
  gateway = await startByHl7({ ...services.settings, EHR_URL: `mllp://127.0.0.1:${listener.port}` })
  services.sandbox.controls.putWebhook({ name: 'pawl', url: `${gateway.url}/webhooks`, secret: webhookSecret })
  try {
    const id = /Sent: (pa_req_\w+)/.exec(await start('pa', '--medication-request', order))?.[1]
    const document = await until('the approval as a document', () =>
      listener.documents().find(({ message }) => /Prior authorization: Appro/.test(message.toString())),
    )
    const [claim] = (await services.fhir.search('Patient')).flatMap(({ identifier }) => identifier ?? [])
    expect(document.patientNumber).toBe(claim?.value)
    expect(await services.fhir.search('ClaimResponse')).toEqual([])
    expect(id).toBeDefined()
  } finally {
    await listener.close()
  }
})

it('says that HL7 v2 alone reads no prescriptions', async () => {
  await gateway.destroy()
  const { FHIR_BASE_URL: _fhir, FHIR_PATIENT_SYSTEM: _system, ...others } = services.settings
  gateway = await startByHl7({ ...others, EHR_URL: 'mllp://127.0.0.1:9' })
  await expect(start('pa', '--medication-request', order)).rejects.toThrow(
    'only a worker reads them, by FHIR (FHIR_BASE_URL, also beside EHR_URL, since HL7 v2 only takes documents)',
  )
})
