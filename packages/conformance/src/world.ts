import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Api, createApi } from 'pawl-client/api/client'
import { type Services, startServices } from '@pawl/testing/services/start-services'
import { type Chart, createChart } from './chart.ts'
import { createFarSide } from './own-far-side.ts'
import { type Call, type Line, startLine } from '@pawl/testing/lines/line'
import { eventTypes } from '@pawl/sandbox/webhooks/settings'
import { startLines } from '@pawl/testing/lines/system-lines'
import type { Life } from './saved-run.ts'
import type { SystemName } from '@pawl/testing/lines/line-faults'
import type { LoadedHandler } from './orders.ts'
import type { PawlHost } from './pawl-host.ts'
import { people } from './canary-people.ts'
import { isQuiet, untilQuiet } from '@pawl/testing/lines/quiet'
import { quickSettings, scratchFolder, slowness } from './run-environment.ts'
import { createSupervisor, type Stop, type TraceOfStart } from './supervisor.ts'
import { createTruthBook, type TruthBook } from './truth-book.ts'

/** A real service, chart and pharmacy, and pawl with the integration in its own process, all on free ports. */
export interface World extends Pick<Services, 'sandbox' | 'fhir' | 'pharmacy'> {
  chart: Chart
  lines: Record<SystemName, Line>
  /** Traces of every handler run. */
  traces(this: void): readonly TraceOfStart[]
  /** The ledger's files as text, as they are on disk. */
  readLedger(this: void): Promise<string>
  /** Names and contents of temporary files. */
  readTemporary(this: void): Promise<string>
  truth: TruthBook
  /** The chart's patient ids, by patient number. */
  patientIds: ReadonlyMap<string, string>
  /** Client for the partner's own calls to the service. */
  api: Api
  webhookSecret: string
  /** Secrets that must not leak, by a name that a report may show. */
  secrets: Record<string, string>
  readonly webhookUrl: string
  /** The integration's handlers. */
  readonly handlers: readonly LoadedHandler[]
  readonly stops: readonly Stop[]
  /** Number of unexpected exits of pawl. The supervisor restarted it after each. */
  readonly crashes: number
  /** pawl's whole output, including its log. */
  printed(this: void): string
  /** Reads a path of the admin listener. */
  readAdmin(this: void, path: string): Promise<string>
  setClock(this: void, offsetMs: number): Promise<void>
  readonly clockOffsetMs: number
  /** Ends pawl and starts it in another process. */
  restart(this: void, how: Stop['how']): Promise<void>
  /** Does the same as `pawl sync`. */
  sync(this: void, resources: readonly string[]): Promise<void>
  /** Resolves with true once no delivery is pending and no work is due, or with false once progress stops first. */
  quiet(this: void): Promise<boolean>
  /** The lists that pawl's process ran before this one. */
  readonly before: readonly Life[]
  /** Stops pawl after this list; its process may be reused. */
  stop(this: void, life: Life): Promise<void>
  close(this: void): Promise<void>
}

/** How long without progress counts as stuck. Longer than any of pawl's waits under these settings. */
const patienceMs = 4_000
/** Max duration of endless activity. */
const maxMs = 15_000

/** Starts all parts. `env` overrides pawl's settings. If a part fails to start, closes the others and rejects. */
export async function startWorld(options: {
  host: PawlHost
  seed: number
  env: Record<string, string>
}): Promise<World> {
  const { host, seed, env } = options
  let offsetMs = 0
  const truth = createTruthBook({ truth: () => services.sandbox.truth() })
  const services = await startServices({
    sandbox: {
      seed,
      // A system of the integration's own keeps what earlier lists wrote.
      idTag: randomInt(36 ** 6)
        .toString(36)
        .padStart(6, '0'),
      observe: truth.record,
      // Only steps move resources.
      speed: 0,
      // Its PAs reach `awaiting_review` and may contact prescribers.
      organizations: [{ id: 'org_conformance', workflow: 'non_delegated', manualReview: true, pharmacy: true }],
      clock: { now: () => Date.now() + offsetMs },
      webhooks: { timeoutMs: 3_000, retryBaseMs: 50, retryMaxMs: 400, maxAttempts: 60 },
    },
  })
  const { sandbox, fhir, pharmacy, settings } = services
  const secrets = {
    'webhook secret': randomBytes(32).toString('hex'),
    'pharmacy secret': settings.PHARMACY_SECRET,
    'sealing key': randomBytes(32).toString('base64'),
    'API token': settings.API_TOKEN,
  }
  const closers: (() => Promise<unknown>)[] = [services.close]
  const close = async () => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne()
  }
  async function begin<T>(starting: Promise<T>, closerOf: (started: T) => () => Promise<unknown>): Promise<T> {
    const started = await starting
    closers.push(closerOf(started))
    return started
  }

  try {
    const folder = await begin(
      mkdtemp(join(scratchFolder(), 'pawl-conformance-')),
      (path) => () => rm(path, { recursive: true, force: true }),
    )
    const patientIds = new Map<string, string>()
    for (const { patient } of people) patientIds.set(patient.internal_id, await fhir.admit(patient))
    const chart = await createChart(fhir)
    const kill = () => killed()
    const { lines: others, settingsFor } = await begin(
      startLines(services, {
        service: { after: truth.alter, kill },
        chart: { before: chart.before, edit: chart.editRecord, kill },
        pharmacy: { kill },
      }),
      (started) => started.close,
    )
    const own = await begin(
      startLine({ system: 'own', target: '', before: createFarSide(), kill }),
      (started) => () => started.close(),
    )
    const lines = { ...others, own }
    const temporary = join(folder, 'temporary')
    await mkdir(temporary)
    const known = [
      ...Object.values(others).map((line) => line.url(0)),
      sandbox.url,
      services.settings.ENROLLMENT_BASE_URL,
    ]
    const api = createApi({ baseUrl: sandbox.url, token: await sandbox.issueToken() })

    const webhookSecret = secrets['webhook secret']
    const supervisor = createSupervisor({
      host,
      settingsFor: (generation) => ({
        ...quickSettings,
        // In local time a day is the day before west of Greenwich; local midnight is east of it.
        TZ: seed % 2 === 0 ? 'America/Los_Angeles' : 'Pacific/Auckland',
        WEBHOOK_SECRETS: webhookSecret,
        ...settings,
        ...settingsFor(generation),
        DATABASE_URL: `file:${join(folder, 'pawl.db')}`,
        SEALING_KEYS: secrets['sealing key'],
        ...env,
      }),
      routeFor: (generation) => ({
        known: known.map((url) => new URL(url).origin),
        ownUrl: own.url(generation),
        temporary,
      }),
      onStart: (url) => {
        const webhook = {
          name: 'pawl',
          url: `${url}/webhooks`,
          secret: webhookSecret,
          events: eventTypes,
          bodyDigest: true,
        }
        sandbox.controls.putWebhook(webhook)
      },
    })
    closers.push(supervisor.kill)
    let restarting: Promise<void> | undefined
    const restart = async (how: Stop['how']) => {
      await supervisor.end(how)
      await supervisor.start()
    }
    const killed = () => {
      const dead = (restarting ?? Promise.resolve()).then(supervisor.kill)
      restarting = dead.then(() => restart('killed'))
      // The awaiting caller reports a failed start.
      restarting.catch(() => undefined)
      return dead
    }

    const readAdmin = async (path: string) => {
      const answer = await fetch(`${supervisor.addresses.adminUrl}${path}`)
      return answer.text()
    }
    await supervisor.start()
    return {
      sandbox,
      chart,
      fhir,
      pharmacy,
      lines,
      truth,
      patientIds,
      api,
      webhookSecret,
      secrets,
      get webhookUrl() {
        return `${supervisor.addresses.url}/webhooks`
      },
      get handlers() {
        return supervisor.handlers
      },
      stops: supervisor.stops,
      get crashes() {
        return supervisor.crashes
      },
      printed: supervisor.printed,
      readAdmin,
      async setClock(newOffsetMs) {
        offsetMs = newOffsetMs
        await supervisor.setClock(offsetMs)
      },
      get clockOffsetMs() {
        return offsetMs
      },
      async restart(how) {
        await restarting
        await restart(how)
      },
      async sync(resources) {
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify({ resources })
        const send = () =>
          fetch(`${supervisor.addresses.adminUrl}/api/sync`, { method: 'POST', headers, body })
            .then((answer) => answer.arrayBuffer())
            .catch(() => undefined)
        if ((await send()) !== undefined) return
        // A handler ended the process after the last check. A rule judges that crash.
        await supervisor.reviveIfEnded()
        await send()
      },
      traces: supervisor.traces,
      async readLedger() {
        const names = (await readdir(folder)).filter((name) => name.startsWith('pawl.db'))
        return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('\n')
      },
      async readTemporary() {
        const names = await readdir(temporary)
        const read = (name: string) => readFile(join(temporary, name), 'latin1').catch(() => '')
        return [...names, ...(await Promise.all(names.map(read)))].join('\n')
      },
      quiet() {
        const isIdle = async () => {
          await restarting
          await supervisor.reviveIfEnded()
          return isQuiet({ sandbox, lines, readAdmin })
        }
        return untilQuiet(isIdle, { lines, patienceMs: patienceMs * slowness(), maxMs: maxMs * slowness() })
      },
      get before() {
        return supervisor.before
      },
      async stop(life) {
        await restarting
        await supervisor.finish(life)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** pawl's requests to all systems, in order of start. */
export function callsOf(world: Pick<World, 'lines'>): Call[] {
  return Object.values(world.lines)
    .flatMap((line) => line.calls)
    .toSorted((one, other) => one.startedAt - other.startedAt)
}
