import { createDigest } from '../systems/digest.ts'
import type { Api } from '../service/client/client.ts'
import { readConfig } from '../settings/config.ts'
import { catalog, type EventType, type ResourceOf } from '../service/events/catalog.ts'
import { bindLog } from '../base/log.ts'
import { type Call, noGuard } from '../systems/guard.ts'
import { createSystems } from '../systems/systems.ts'
import type { Handler } from '../work/handler.ts'
import type { RegisteredSettings } from '../work/register.ts'
import { claimOutside } from '../work/claim-outside.ts'
import { runHandler as runOnce } from '../work/run-handler.ts'
import { createHandlerStand, type HandlerStand } from './handler-stand.ts'
import { apiFrom, type StandIns, systemsFrom, withMissingSystems } from './stand-ins.ts'
import type { EventRecord } from '../ledger/hot/claims.ts'

/** What a handler is run with. */
export interface RunOptions<T extends EventType = EventType> {
  /** How the service says that things stand now. */
  to: ResourceOf<T>
  /** What the handler last succeeded with. Default: what it last succeeded with on the stand of `after`, and otherwise nothing. */
  from?: ResourceOf<T> | undefined
  /** The types of the events that were received since. Default: one, the first that the handler follows. */
  events?: readonly T[] | undefined
  /** A stand, or an earlier run, to go on from: same chart, same pharmacy, and `once` remembers. Default: a new one. */
  after?: HandlerStand | undefined
  /** Settings that differ from pawl's defaults; those of the integration have none here. */
  settings?: Partial<RegisteredSettings> | undefined
  /** Answers of the service. */
  api?: Partial<Api> | undefined
  /** Systems in place of chart and pharmacy, and the integration's own, which have no default. */
  systems?: StandIns | undefined
}

/** A run as the kit itself controls it. */
export interface ControlledRun<T extends EventType> extends RunOptions<T> {
  /** Makes every call of a port. */
  around?: ((call: () => unknown) => Promise<unknown>) | undefined
  /** Run as if `from` were all that the handler ever succeeded with. */
  forgetful?: boolean | undefined
}

/** Runs a handler as the gateway would, on chart and pharmacy in memory. Resolves with where it acted; rejects with what the handler throws, which counts as a failed run on the stand. */
export async function runHandler<T extends EventType>(
  handler: Handler<T>,
  options: RunOptions<T>,
): Promise<HandlerStand> {
  return controlRun(handler, options)
}

/** As `runHandler`. */
export async function controlRun<T extends EventType>(
  handler: Handler<T>,
  options: ControlledRun<T>,
): Promise<HandlerStand> {
  const { to, after: stand = createHandlerStand(), events = [usualEvent(handler, to)] } = options
  const records = events.map((type): EventRecord => {
    stand.remembered.events += 1
    const receivedAt = stand.remembered.clock.now()
    return { id: stand.remembered.events, type, receivedAt, source: 'webhook', repeats: 0 }
  })
  // In mode `each` the runs after the first have the snapshot of the first behind them.
  const runs = handler.mode === 'each' ? records.map((record) => [record]) : [records]
  for (const [index, each] of runs.entries())
    await runOn(stand, handler, each, index === 0 ? options : { ...options, from: to })
  return stand
}

async function runOn<T extends EventType>(
  stand: HandlerStand,
  handler: Handler<T>,
  events: readonly EventRecord[],
  { to, from, settings = {}, api = {}, systems = {}, around = async (call) => call(), forgetful }: ControlledRun<T>,
): Promise<void> {
  const { clock, capture, ledger, progress } = stand.remembered
  const resourceId = to.id
  const key = JSON.stringify([handler.name, resourceId])
  const known = forgetful === true ? undefined : progress.get(key)
  const baseline = from ?? known?.baseline
  const tried = known?.tried ?? []
  const type = events[0]?.type ?? usualEvent(handler, to)
  const claim = claimOutside({
    resourceId,
    // The types of the events are those that the handler follows.
    kind: catalog[type as T],
    owner: 'test',
    events,
    at: clock.now(),
  })
  const opened = createSystems({
    systems: { ehr: stand.ehr, pharmacy: stand.pharmacy, ...systemsFrom(systems, stand.calls) },
    api: apiFrom(api, stand.calls),
    // What fails here fails in the test: nothing is left alone for a while. The answer is what the port's own method gives.
    breakers: {
      ...noGuard,
      call: <R>(system: string, id: string, act: (call: Call) => Promise<R>) =>
        around(() => noGuard.call(system, id, act)) as Promise<R>,
    },
    digest: createDigest(Buffer.alloc(32)),
  })
  const { error } = await runOnce(
    {
      claim,
      handler,
      events,
      data: to,
      readBaseline: () => baseline,
      readTried: () => tried,
      memoryOf: stand.remembered.memoryOf(resourceId),
    },
    {
      systems: { ...opened, open: (run) => withMissingSystems(opened.open(run)) },
      settings: { ...ownSettings(), ...settings },
      ledger,
      clock,
      log: bindLog(capture.log, {}),
      watch: { begin: () => () => {} },
    },
    { signal: new AbortController().signal, assertHeld() {}, remainingMs: () => 3_600_000 },
  )
  progress.set(key, error === undefined ? { baseline: to, tried: [] } : { baseline, tried: [...tried, to] })
  if (error !== undefined) throw error as Error // what was thrown, whatever it is
}

/** The first event type of the handler that is about such a resource. */
function usualEvent<T extends EventType>({ on }: Handler<T>, { object }: ResourceOf<T>): T {
  const type = on.find((each) => catalog[each] === object) ?? on[0]
  if (type === undefined) throw new TypeError('This handler follows no event type: name some in `on`.')
  return type
}

/** pawl's own settings, as an environment without any has them. */
function ownSettings(): object {
  return readConfig({ ROLE: 'receiver', WEBHOOK_SECRETS: 'a-secret-of-at-least-thirty-two-characters' }).settings
}
