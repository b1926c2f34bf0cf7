import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createApi } from '../../src/api/client.ts'
import { type FhirServer, patientNumbers, startFhirServer } from '../../src/cli/demo/fhir-server.ts'
import { startPharmacyDesk } from '../../src/cli/demo/pharmacy-desk.ts'
import { priorAuthorizationRequest } from '../../src/cli/demo/requests.ts'
import type { ResourceRecord } from '../../src/ledger/ledger.ts'
import { ndpSubmission, patient } from '../../src/sandbox/sample-requests.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { argumentsFor } from '../support/run-script.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { startTestGateway, type TestGateway, type TestParts } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { webhookSecret } from '../support/webhook.ts'
import { readPage } from './readme-examples.ts'
import { readWalk } from './walked-page.ts'

const sections = readWalk(await readPage('docs/runbook.md'))

/** What one walk prints, by how the lines of the page begin. */
type Told = (start: string) => string

/** A pawl of its own with a service, a chart and a pharmacy, all local, for one walk of the runbook. */
export interface RunbookWorld {
  folder: string
  sandbox: Sandbox
  chart: FhirServer
  /** The settings of pawl and of whoever types the commands. */
  env: Record<string, string>
  /** Changes with every restart. */
  readonly gateway: TestGateway
  stop(): Promise<void>
  start(): Promise<void>
  /** Has the service sign its webhooks with a secret. */
  signWith(secret: string): void
  /** Creates requests at the service. */
  create(count: number, internalId?: string): Promise<string[]>
  known(id: string): Promise<ResourceRecord | undefined>
  /** Waits until these resources have reached their end at the service and pawl has nothing left to do but what is parked. */
  atRest(ids: readonly string[]): Promise<void>
  /** Runs one command as a shell with these settings would; resolves with its exit code and all that it printed. */
  pawl(line: string, input?: string): Promise<{ code: unknown; output: string }>
  /** Does what stands under a heading of the page, line by line; `before` a line, by how it begins, comes what the world does meanwhile. */
  play(
    title: string,
    happens: {
      id?: string | ((line: string) => string)
      input?: string
      before?: Record<string, () => unknown>
      fails?: string
    },
  ): Promise<Told>
  close(): Promise<void>
}

/** Starts all of it; `settings` come over its own. */
export async function startRunbookWorld({
  settings = {},
  parts = {},
}: { settings?: Record<string, string>; parts?: TestParts } = {}): Promise<RunbookWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-runbook-'))
  const sandbox = createSandbox({ speed: 5_000, detours: { awaitingProviderResponse: 0, validatingOutcome: 0 } })
  const { url } = await sandbox.listen()
  const chart = await startFhirServer()
  const pharmacySecret = `whsec_${randomBytes(32).toString('base64')}`
  const desk = await startPharmacyDesk(pharmacySecret, () => {})
  const env: Record<string, string> = {
    PORT: String(await freePort()),
    ADMIN_PORT: String(await freePort()),
    ADMIN_PASSWORD: 'a password of all for tests',
    SEALING_KEYS: randomBytes(32).toString('base64'),
    DATABASE_URL: `file:${join(folder, 'pawl.db')}`,
    WEBHOOK_SECRETS: webhookSecret,
    API_BASE_URL: url,
    API_TOKEN: await sandbox.issueToken(),
    FHIR_BASE_URL: chart.url,
    FHIR_PATIENT_SYSTEM: patientNumbers,
    FHIR_IDENTIFIER_BASE: 'https://clinic.example/identifiers',
    PHARMACY_URL: desk.url,
    PHARMACY_SECRET: pharmacySecret,
    // However slow the machine, what waits for a system is not parked before the system counts as away.
    RETRY_ATTEMPTS: '1000',
    ...settings,
  }
  let gateway = await startTestGateway(parts, env)

  const world: RunbookWorld = {
    folder,
    sandbox,
    chart,
    env,
    get gateway() {
      return gateway
    },
    stop: () => gateway.close(),
    async start() {
      gateway = await startTestGateway(parts, env)
    },
    signWith: (secret) =>
      sandbox.controls.putWebhook({ name: 'pawl', url: `http://127.0.0.1:${env.PORT}/webhooks`, secret }),
    async create(count, internalId = patient.internal_id) {
      const api = createApi({ baseUrl: url, token: await sandbox.issueToken() })
      const ids: string[] = []
      while (ids.length < count) {
        const request = priorAuthorizationRequest({
          patient: { ...patient, internal_id: internalId },
          mock_result: { result: 'Approved' },
          ndp_submission: { ...ndpSubmission, prescription_message_id: `rx-${randomUUID()}` },
        })
        ids.push((await api.createPriorAuthorization(request)).id)
      }
      return ids
    },
    known: (id) => gateway.ledger.resource(id),
    async atRest(ids) {
      await sandbox.settled()
      await soon('all is at rest', async () => {
        if ((await gateway.ledger.counts()).due > 0 || gateway.inWork() > 0) return false
        const isEnded = await Promise.all(ids.map(async (id) => (await world.known(id))?.terminal === true))
        return isEnded.every(Boolean)
      })
    },
    pawl(line, input = '') {
      const words = wordsOf(line).slice(1)
      const how = [...argumentsFor('src/cli/pawl.ts'), ...words]
      return new Promise((done) => {
        const options = { env: { PATH: process.env.PATH, ...env } }
        const child = execFile(process.execPath, how, options, (error, stdout, stderr) =>
          done({ code: error?.code ?? 0, output: stdout + stderr }),
        )
        child.stdin?.end(input)
      })
    },
    async play(title, { id = '', input = '', before = {}, fails }) {
      const blocks = sections.find((each) => each.title === title)?.blocks ?? []
      const lines = blocks.filter(({ kind }) => kind === 'sh').flatMap(({ text }) => text.trim().split('\n'))
      const left = new Set(Object.keys(before))
      const printed: { line: string; output: string }[] = []
      for (const line of lines) {
        for (const [start, happens] of Object.entries(before))
          if (line.startsWith(start) && left.delete(start)) await happens()
        if (line.startsWith('systemctl')) {
          if (line.startsWith('systemctl restart')) await world.stop()
          await world.start()
        }
        if (!line.startsWith('pawl ')) continue
        const typed = line
          .replace('pa_req_123', typeof id === 'string' ? id : id(line))
          .replace('pawl-backup.db', join(folder, 'pawl-backup.db'))
        const { code, output } = await world.pawl(typed, input)
        expect(code, `${typed}: ${output}`).toBe(line === fails ? 1 : 0)
        printed.push({ line, output })
      }
      expect([...left], `lines that are not under "${title}"`).toEqual([])
      return (start) => {
        const found = printed.find(({ line }) => line.startsWith(start))
        if (found === undefined) throw new Error(`no line under "${title}" begins with ${start}`)
        return found.output
      }
    },
    async close() {
      await gateway.close()
      await sandbox.close()
      await chart.close()
      await desk.close()
      await rm(folder, { recursive: true })
    },
  }
  world.signWith(webhookSecret)
  return world
}

/** Waits for what must come, on a machine however busy. */
export function soon<T>(what: string, ask: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  return until(what, ask, 180_000)
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
}
