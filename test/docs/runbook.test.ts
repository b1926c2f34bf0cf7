import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeAlert } from '../../src/alerts/describe-alert.ts'
import { createApi } from '../../src/api/client.ts'
import { createProgram } from '../../src/cli/program.ts'
import { type FhirServer, patientNumbers, startFhirServer } from '../../src/cli/demo/fhir-server.ts'
import { type PharmacyDesk, startPharmacyDesk } from '../../src/cli/demo/pharmacy-desk.ts'
import { priorAuthorizationRequest } from '../../src/cli/demo/requests.ts'
import { ndpSubmission, patient } from '../../src/sandbox/sample-requests.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import priorAuthorizationToEhr from '../../templates/prior-authorization-to-ehr/handler.ts'
import { argumentsFor } from '../support/run-script.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { webhookSecret } from '../support/webhook.ts'
import { readPage } from './readme-examples.ts'
import { readWalk } from './walked-page.ts'

const page = await readPage('docs/runbook.md')
const handlerName = priorAuthorizationToEhr.name
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)

let folder: string
let sandbox: Sandbox
let fhir: FhirServer
let desk: PharmacyDesk
let env: Record<string, string>
let gateway: TestGateway

async function start(): Promise<void> {
  gateway = await startTestGateway({}, env)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-runbook-'))
  sandbox = createSandbox({ speed: 5_000, detours: { awaitingProviderResponse: 0, validatingOutcome: 0 } })
  const { url } = await sandbox.listen()
  fhir = await startFhirServer()
  const pharmacySecret = `whsec_${randomBytes(32).toString('base64')}`
  desk = await startPharmacyDesk(pharmacySecret, () => {})
  env = {
    PORT: String(await freePort()),
    ADMIN_PORT: String(await freePort()),
    ADMIN_PASSWORD: 'a password of all for tests',
    SEALING_KEYS: randomBytes(32).toString('base64'),
    DATABASE_URL: `file:${join(folder, 'pawl.db')}`,
    WEBHOOK_SECRETS: webhookSecret,
    API_BASE_URL: url,
    API_TOKEN: await sandbox.issueToken(),
    FHIR_BASE_URL: fhir.url,
    FHIR_PATIENT_SYSTEM: patientNumbers,
    FHIR_IDENTIFIER_BASE: 'https://clinic.example/identifiers',
    PHARMACY_URL: desk.url,
    PHARMACY_SECRET: pharmacySecret,
    RETRY_ATTEMPTS: '15',
    POLL_INTERVAL_MS: '200',
  }
  signWebhooksWith(webhookSecret)
  await start()
})
afterAll(async () => {
  await gateway.close()
  await sandbox.close()
  await fhir.close()
  await desk.close()
  await rm(folder, { recursive: true })
})

function signWebhooksWith(secret: string): void {
  sandbox.controls.putWebhook({ name: 'pawl', url: `http://127.0.0.1:${env.PORT}/webhooks`, secret })
}

/** Runs one command as a shell with the settings of this pawl would, and resolves with its exit code and all that it printed. */
function pawl(line: string, input = ''): Promise<{ code: unknown; output: string }> {
  const words = wordsOf(line.replace('pawl-backup.db', join(folder, 'pawl-backup.db'))).slice(1)
  const how = [...argumentsFor('src/cli/pawl.ts'), ...words]
  return new Promise((done) => {
    const options = { env: { PATH: process.env.PATH, ...env } }
    const child = execFile(process.execPath, how, options, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, output: stdout + stderr }),
    )
    child.stdin?.end(input)
  })
}

const status = async () => (await pawl('pawl status')).output

/** Creates requests at the service, whose webhooks go to this pawl. */
async function create(count: number, internal_id = patient.internal_id): Promise<string[]> {
  const api = createApi({ baseUrl: env.API_BASE_URL ?? '', token: env.API_TOKEN ?? '' })
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) {
    const request = priorAuthorizationRequest({
      patient: { ...patient, internal_id },
      mock_result: { result: 'Approved' },
      ndp_submission: { ...ndpSubmission, prescription_message_id: `rx-${randomUUID()}` },
    })
    ids.push((await api.createPriorAuthorization(request)).id)
  }
  return ids
}

const isKnown = async (id: string) => (await pawl(`pawl show ${id}`)).code === 0

const inStep = () =>
  until('all is in step', async () => {
    const { due, parked, events } = await gateway.ledger.counts()
    return due === 0 && parked === 0 && events > 0
  })

/** Does what stands under a heading, line by line; `before` a line, by how it begins, comes what the world does meanwhile. */
async function play(
  title: string,
  { id = '', input = '', before = {} }: { id?: string; input?: string; before?: Record<string, () => unknown> },
): Promise<(start: string) => string> {
  const section = readWalk(page).find((each) => each.title === title)
  const lines = (section?.blocks ?? [])
    .filter(({ kind }) => kind === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'))
  expect(lines, title).not.toEqual([])
  const expected = Object.keys(before).filter((start) => !lines.some((line) => line.startsWith(start)))
  expect(expected, 'lines that the page does not have any more').toEqual([])
  const printed = new Map<string, string>()
  for (const line of lines) {
    for (const [start, happens] of Object.entries(before)) if (line.startsWith(start)) await happens()
    if (line.startsWith('systemctl')) {
      if (line.startsWith('systemctl restart')) await gateway.close()
      await start()
      continue
    }
    const { code, output } = await pawl(line.replace('pa_req_123', id), input)
    expect(code === 0 || line === 'pawl check', `${line}: ${output}`).toBe(true)
    printed.set(line, output)
  }
  return (start) => [...printed].find(([line]) => line.startsWith(start))?.[1] ?? ''
}

it('a chart that was down is written to once it is back, and nothing was parked', async () => {
  fhir.setDown(true)
  await create(3)
  await until('the chart is away', async () => /^ehr +away for .*HTTP 503/m.test(await status()))
  const told = await play('The chart is down', {
    before: { 'pawl resume ehr': () => fhir.setDown(false), 'pawl parked': inStep },
  })
  expect(told('pawl check')).toMatch(/^ehr +FAIL/m)
  expect(told('pawl pause')).toContain('the chart is down until 04:00')
  expect(told('pawl parked')).toContain('Nothing is parked.')
  expect((await pawl('pawl check')).output).toMatch(/^ehr +ok/m)
  expect(await status()).not.toMatch(/^ehr /m)
})

it('webhooks under a new secret are taken once it is set, and what was refused is asked for', async () => {
  const secret = randomBytes(32).toString('hex')
  signWebhooksWith(secret)
  const [id = ''] = await create(1)
  await until('it is refused', async () => (await status()).includes('token_invalid. Is the service'))
  expect(await isKnown(id)).toBe(false)
  let later = ''
  const told = await play('The webhook secret was changed', {
    id,
    before: {
      'systemctl restart': () => (env.WEBHOOK_SECRETS = `${secret},${env.WEBHOOK_SECRETS}`),
      async 'pawl events list'() {
        ;[later = ''] = await create(1)
        await until('a webhook is taken', () => isKnown(later))
      },
    },
  })
  expect(told('pawl reconcile --since')).toContain('looked at')
  expect(told('pawl events list')).toContain(later)
  await until('what was refused is known', () => isKnown(id))
  await inStep()
})

it('a patient is erased, run again where something came late', async () => {
  await fhir.admit({ ...patient, internal_id: 'patient-2' })
  const [id = ''] = await create(1, 'patient-2')
  await until('it was written', () => isKnown(id))
  await inStep()
  const input = 'patient-2\n'
  const told = await play('A patient asks for erasure', { input })
  expect(told('pawl purge')).toMatch(new RegExp(`found +${id}`))
  expect(told('pawl audit list')).toContain('Request of 3 March')
  const purge = 'pawl purge --patient - --reason "Request of 3 March"'
  await until('nothing is held', async () => {
    const { output } = await pawl(`${purge} --dry-run`, input)
    if (output.includes('The ledger holds nothing of this patient.')) return true
    await pawl(purge, input)
    return false
  })
})

it('every command that the page names exists, with its options', () => {
  const program = createProgram({
    ask: () => Promise.reject(new Error('not asked')),
    print: () => {},
    end: () => process.exit(),
  })
  const shown = [...page.matchAll(/^(pawl .*)$|`(pawl [^`]*)`/gm)].map(([, line, inline = '']) => line ?? inline)
  expect(shown.length).toBeGreaterThan(30)
  for (const line of shown) {
    const words = wordsOf(line).slice(1)
    let command: Command = program
    for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command
    expect(command, line).not.toBe(program)
    const known = command.options.map(({ long }) => long)
    expect(
      words.filter((word) => word.startsWith('--') && !known.includes(word)),
      line,
    ).toEqual([])
  }
})

it('alerts are titled as the page says', () => {
  const titleOf = (kind: Parameters<typeof describeAlert>[0]['kind'], subject: string, level = 0) =>
    describeAlert({ kind, subject, level, count: 500 }, () => '').title
  const work = `${handlerName} unexpected`
  expect(page).toContain(`\`${titleOf('away', 'ehr')}\``)
  expect(page).toContain(`\`${titleOf('away', 'api')}\``)
  expect(page).toContain(`\`${titleOf('work', work, 100)}\``)
  for (const [kind, subject] of [
    ['refused', 'token_invalid'],
    ['oldest_due', ''],
    ['backup', ''],
  ] as const)
    expect(page).toContain(`\`${titleOf(kind, subject).replace('500', '…')}\``)
})
