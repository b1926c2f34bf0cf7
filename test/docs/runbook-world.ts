import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createApi } from '../../packages/client/src/api/client.ts'
import type { FhirServer } from '../../packages/testing/src/services/fhir-server.ts'
import { startServices } from '../../packages/testing/src/services/start-services.ts'
import { ndpSubmission, patient } from '../../packages/sandbox/src/sample-requests.ts'
import { noDetours } from '../../packages/sandbox/src/platform.ts'
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { aPriorAuthorizationRequest } from '../../packages/testing/src/request-builders.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { startLocalGateway, type LocalGateway, type TestParts } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { webhookSecret } from '../support/webhook.ts'
import { createPageShell, type Typed } from './page-shell.ts'
import { readPage } from './readme-examples.ts'
import { readWalk } from './walked-page.ts'
import type { ResourceRecord } from '../../packages/ledger/src/views/read-resource.ts'

const sections = readWalk(await readPage('docs/runbook.md'))

/** Output of one walk, by the beginning of the page's command. */
type Told = (start: string) => string

/** Changes of the world while a page's commands are typed. */
export interface Happens {
  /** Id in place of the page's `pa_req_123`, in a block. */
  id?: string | ((block: string) => string)
  input?: string
  /** The settings of the shell; those of pawl without it. */
  env?: Record<string, string>
  /** Comes before a command, by how it begins. */
  before?: Record<string, () => unknown>
  /** The command that exits 1. */
  fails?: string
}

/** A pawl of its own with a service, a chart and a pharmacy, all local, for one walk of the runbook. */
export interface RunbookWorld {
  folder: string
  sandbox: Sandbox
  chart: FhirServer
  /** The settings of pawl and of the shell that runs the commands. */
  env: Record<string, string>
  /** Changes with every restart. */
  readonly gateway: LocalGateway
  stop(): Promise<void>
  start(): Promise<void>
  /** Has the service sign its webhooks with a secret. */
  signWith(secret: string): void
  /** Creates requests at the service. */
  create(count: number, internalId?: string): Promise<string[]>
  known(id: string): Promise<ResourceRecord | undefined>
  /** Waits until these resources have reached their end at the service and pawl has nothing left to do but what is parked. */
  atRest(ids: readonly string[]): Promise<void>
  /** Types one command; resolves with its exit code and all that it printed. */
  pawl(line: string, input?: string): Promise<{ code: number; output: string }>
  /** Types blocks as a page shows them, one after the other; every command must succeed. `systemctl start` and `restart` restart this pawl, and are over before it answers. */
  type(blocks: readonly string[], happens?: Happens): Promise<Typed[]>
  /** Types what stands under a heading of the runbook. */
  play(title: string, happens: Happens): Promise<Told>
  close(): Promise<void>
}

/** Starts all of it; `settings` come over its own. */
export async function startRunbookWorld({
  settings = {},
  parts = {},
}: { settings?: Record<string, string>; parts?: TestParts } = {}): Promise<RunbookWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-runbook-'))
  const services = await startServices({ sandbox: { speed: 200_000, detours: noDetours } })
  const { sandbox, fhir: chart } = services
  const env: Record<string, string> = {
    PORT: String(await freePort()),
    ADMIN_PORT: String(await freePort()),
    ADMIN_PASSWORD: 'a password of all for tests',
    SEALING_KEYS: randomBytes(32).toString('base64'),
    DATABASE_URL: `file:${join(folder, 'pawl.db')}`,
    WEBHOOK_SECRETS: webhookSecret,
    ...services.settings,
    FHIR_IDENTIFIER_BASE: 'https://clinic.example/identifiers',
    // However slow the machine, what waits for a system is not parked before the system counts as away.
    RETRY_ATTEMPTS: '1000',
    ...settings,
  }
  let gateway = await startLocalGateway(parts, env)
  const shell = await createPageShell(folder, { systemctl: 'exit 0' })

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
      gateway = await startLocalGateway(parts, env)
    },
    signWith: (secret) =>
      sandbox.controls.putWebhook({ name: 'pawl', url: `http://127.0.0.1:${env.PORT}/webhooks`, secret }),
    async create(count, internalId = patient.internal_id) {
      const api = createApi({ baseUrl: services.sandbox.url, token: services.sandbox.token })
      const ids: string[] = []
      while (ids.length < count) {
        const request = aPriorAuthorizationRequest({
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
    async pawl(line, input = '') {
      const [{ code, output } = { code: 1, output: '' }] = await shell.type(line, { env, input })
      return { code, output }
    },
    async type(blocks, { id = '', input = '', before = {}, fails, env: own = env } = {}) {
      const left = new Set(Object.keys(before))
      const typed: Typed[] = []
      for (const block of blocks) {
        let starting: Promise<void> | undefined
        const shown = block
          .replaceAll('pa_req_123', typeof id === 'string' ? id : id(block))
          .replaceAll('/var/lib/pawl', folder)
        const commands = await shell.type(shown, {
          env: own,
          input,
          async before(command) {
            for (const [start, happens] of Object.entries(before))
              if (command.startsWith(start) && left.delete(start)) await happens()
            if (!/^systemctl (?:re)?start /.test(command)) return
            await world.stop()
            starting = startOnceAsked(Number(env.ADMIN_PORT), () => world.start())
          },
        })
        // A reader types the next block when pawl has long been there.
        if (starting !== undefined) {
          await fetch(`http://127.0.0.1:${env.ADMIN_PORT}`).catch(() => {})
          await starting
        }
        for (const { command, code, output } of commands)
          expect(code, `${command}: ${output}`).toBe(command === fails ? 1 : 0)
        typed.push(...commands)
      }
      expect([...left], 'commands that were not typed').toEqual([])
      return typed
    },
    async play(title, happens) {
      const blocks = sections.find((each) => each.title === title)?.blocks ?? []
      const shown = blocks.filter(({ kind }) => kind === 'sh').map(({ text }) => text)
      expect(shown.length, title).toBeGreaterThan(0)
      const typed = await world.type(shown, happens)
      return (start) => {
        const found = typed.find(({ command }) => command.startsWith(start))
        if (found === undefined) throw new Error(`no command under "${title}" begins with ${start}`)
        return found.output
      }
    },
    async close() {
      await gateway.close()
      await services.close()
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

/** Starts pawl after a first refused connection. */
async function startOnceAsked(port: number, start: () => Promise<void>): Promise<void> {
  const absent = createServer((socket) => {
    socket.destroy()
    absent.close()
  }).listen(port, '127.0.0.1')
  await once(absent, 'close')
  await start()
}
