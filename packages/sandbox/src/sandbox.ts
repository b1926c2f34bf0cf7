import type { Express } from 'express'
import { createDownload } from '@pawl/base/net/download'
import { isPublicAddress } from '@pawl/base/net/public-address'
import { createAnswerChaos } from './access/chaos.ts'
import { createForcedFailures } from './access/forced-failures.ts'
import { limitRate } from './access/limit-requests.ts'
import { createOrganizations } from './access/organizations.ts'
import { createRateLimits } from './access/rate-limits.ts'
import { createTokens } from './access/tokens.ts'
import { createApp } from './app.ts'
import { createCaseReader } from './cases/read-cases.ts'
import { controlRoutes, type Controls, createControls } from './controls.ts'
import { type Platform, usualDetours } from './platform.ts'
import { documentRoutes } from './documents/routes.ts'
import { createFiles } from './files/served-file.ts'
import { createSignedFiles } from './files/signed-files.ts'
import { listen, type Listener } from './listen.ts'
import { createResourceKinds, routesOf, runnersOf } from './resource-kinds.ts'
import type { SandboxOptions } from './options.ts'
import { noArchive, openArchive } from './platform/archive.ts'
import { serveControls } from './platform/control.ts'
import { createChaosDial } from './platform/chaos-settings.ts'
import { createSandboxClock, systemClock } from './platform/sandbox-clock.ts'
import { persistSettings } from './platform/persistent-settings.ts'
import { createRandom } from './platform/random.ts'
import { createSchedule } from './platform/schedule.ts'
import { createSettled } from './platform/settled.ts'
import { createStore } from './platform/store.ts'
import { forcedRefusal } from './prior-authorization/forced-refusal.ts'
import type { PriorAuthorizationRecord } from './prior-authorization/record.ts'
import { createPages } from './pages/create-pages.tsx'
import { createRequestLog } from './requests/request-log.ts'
import { createReset } from './reset.ts'
import { scenarioControls } from './scenarios/routes.ts'
import { readTruth, type Truth } from './truth.ts'
import { ownDeliveryControl } from './webhooks/own-delivery.ts'
import { createEventLog } from './webhooks/event-log.ts'
import { createSending } from './webhooks/sending.ts'
import type { WebhookSettings } from './webhooks/settings.ts'

/** A stateful local copy of the service. */
export interface Sandbox {
  /** The service's API at `/`, the controls under `/_sandbox/`. */
  app: Express
  /** The seed in use. */
  seed: number
  controls: Controls
  /** Issues an API token (JWT) for the organization, by default the first. Throws `Refusal` for an unknown one. */
  issueToken(organization?: string): Promise<string>
  /** Listens on a port (default: a free one) of a host (default: 127.0.0.1). The listener's `close` stops that listener only. */
  listen(port?: number, host?: string): Promise<Listener>
  truth(): Truth
  /** Resolves once no transition is scheduled and no delivery is pending; rejects if the sandbox closes first. */
  settled(): Promise<void>
  /** Stops listeners, timers and deliveries; safe to call twice. */
  close(): Promise<void>
}

/** Opens no port until `listen`. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { clock: wallClock = systemClock, observe = () => {} } = options
  const archive =
    options.data === undefined ? noArchive : openArchive(options.data, { stamp: () => ['clock', clock.now()] })
  const { seed, tokenKey, start, stoppedAt } = persistSettings(
    { seed: options.seed, tokenKey: options.tokens?.key },
    archive,
  )
  const clock = createSandboxClock({ speed: options.speed ?? 1, clock: wallClock, startsAt: stoppedAt })
  const random = createRandom(seed, { start, tag: options.idTag ?? '' })
  const answering = random.fork('chaos/answering')
  const organizations = createOrganizations({ initial: options.organizations ?? [], archive })
  const store = createStore({ archive })
  const tokens = createTokens({ key: tokenKey, store })
  const priorAuthorizations = store.shelf<PriorAuthorizationRecord>('prior_authorization')
  const failures = createForcedFailures({
    archive,
    refusalOf: (code, organization) => forcedRefusal(code, priorAuthorizations.listOwn(organization).at(-1)),
  })
  const limits = createRateLimits({ clock: wallClock })
  const chaos = createChaosDial({ initial: options.chaos, archive })
  const settled = createSettled({ isIdle: () => schedule.size() === 0 && deliverer.pending() === 0 })
  const kept = createFiles({ store })
  const files = createSignedFiles({ clock, files: kept })
  const sending = createSending({
    settings: options.webhooks,
    fetch: options.fetch ?? fetch,
    webhooksOf: (organization) => organizations.find(organization)?.webhooks ?? new Map<string, WebhookSettings>(),
    chaos,
    sign: files.sign,
    archive,
    random,
    clock: wallClock,
    changed: settled.check,
    observe,
  })
  const { log, deliverer, webhooks } = sending
  const cases = createCaseReader(store)
  const events = createEventLog({ clock })
  const requests = createRequestLog()
  const schedule = createSchedule({ clock, archive, run: runKey, changed: settled.check })
  const detours = { ...usualDetours, ...options.detours }
  const platform: Platform = {
    clock,
    random,
    schedule,
    store,
    files: kept,
    organizations,
    emit: (event) => {
      events.noteEvent(webhooks.emit(event))
    },
    observe: (one) => {
      if (one.kind === 'transition') events.noteTransition(one)
      observe(one)
    },
    detours,
  }

  const { maxBytes = 20 * 1024 * 1024, timeoutMs = 10_000 } = options.files ?? {}
  const download = createDownload({
    mayConnect: options.allowPrivateFileUrls === true ? () => true : isPublicAddress,
  })
  const readFileUrl = async (url: string) =>
    (await download(url, { maxBytes, signal: AbortSignal.timeout(timeoutMs) })).content
  const kinds = createResourceKinds(platform, { readFileUrl })
  const runners = runnersOf(kinds)

  /** A key is machine/id. */
  function runKey(key: string): string | undefined {
    const [machine = '', id = ''] = key.split('/')
    return runners[machine]?.(id)
  }

  const truth = () => readTruth(kinds)
  const reset = createReset({
    store,
    schedule,
    deliverer,
    log,
    events,
    requests,
    failures,
    organizations,
    limits,
    chaos,
  })
  const controls = createControls({
    reset,
    organizations,
    kinds,
    tokens,
    failures,
    limits,
    chaos,
    clock,
    webhooks,
    files,
    log,
    requests,
    schedule,
    cases,
    events,
  })
  const routes = [
    ...controlRoutes({ controls, seed, truth }),
    ...scenarioControls({ organizationOf: organizations.get, issueToken: controls.issueToken }),
    ownDeliveryControl({ organizationOf: organizations.get, log, deliverer }),
  ]
  const hostNames = new Set(options.hostNames)
  const app = createApp({
    flush: archive.flush,
    documents: documentRoutes(routes),
    files,
    observe,
    requests,
    clock: wallClock,
    tokens,
    organizations,
    hostNames,
    pages: createPages({ controls, routes, cases, files, seed }),
    controls: serveControls(routes),
    limits: limitRate({ limits }),
    gates: [failures.intercept, createAnswerChaos({ chances: () => chaos.read().answering, random: answering })],
    routes: routesOf(kinds, files),
  })
  const listeners = new Set<Listener>()
  schedule.resume()
  sending.resume()

  return {
    app,
    seed,
    controls,
    issueToken: controls.issueToken,
    truth,
    settled: settled.wait,
    listen: async (port = 0, host = '127.0.0.1') => {
      hostNames.add(host)
      const listener = await listen(app, { port, host })
      listeners.add(listener)
      files.servedAt(listener.url)
      return listener
    },
    close: async () => {
      schedule.stop()
      deliverer.close()
      settled.close()
      await Promise.all([...listeners].map((listener) => listener.close()))
      archive.close()
    },
  }
}
