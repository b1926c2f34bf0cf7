import { createDigest } from '@pawl/connector/digest'
import { ehrSettings } from '@pawl/ehr'
import { pharmacySettings } from '@pawl/pharmacy'
import type { Api } from 'pawl-client/api/client'
import { readConfig } from '../../../src/settings/read-config.ts'
import { eventKinds, type EventType, type ResourceOf } from 'pawl-client/events/event-types'
import { bindLog } from '@pawl/base/log'
import { type Call, noGuard } from '../../../src/systems/guard.ts'
import { createSystems } from '../../../src/systems/systems.ts'
import { createEnding } from '../../../src/work/ending.ts'
import type { Handler } from '../../../src/work/handler.ts'
import type { RegisteredSettings } from '../../../src/work/register.ts'
import { claimOutside } from './claim-outside.ts'
import { callHandler } from '../../../src/work/call-handler.ts'
import { createHandlerStand, type HandlerStand } from './handler-stand.ts'
import { apiFrom, type StandIns, systemsFrom, withMissingSystems } from './stand-ins.ts'
import type { EventRecord } from '@pawl/ledger/hot/event-record'

/** Options of a handler's run. */
export interface RunOptions<T extends EventType = EventType> {
  /** The current snapshot. */
  to: ResourceOf<T>
  /** Snapshot of the handler's last success. Default: that of its last success on `after`, if any. */
  from?: ResourceOf<T> | undefined
  /** Types of the events received since. Default: the first type that the handler follows. */
  events?: readonly T[] | undefined
  /** A stand or an earlier run to continue: same chart, same pharmacy, same effects of `once`. Default: a new stand. */
  after?: HandlerStand | undefined
  /** Overrides of pawl's defaults, and the integration's settings, which have no defaults here. */
  settings?: Partial<RegisteredSettings> | undefined
  /** Answers of the service. */
  api?: Partial<Api> | undefined
  /** Replacements for chart and pharmacy, and the integration's own systems, which have no default. */
  systems?: StandIns | undefined
}

/** A run with the kit's internal options. */
export interface ControlledRun<T extends EventType> extends RunOptions<T> {
  /** Wraps every call of a port. */
  around?: ((call: () => unknown) => Promise<unknown>) | undefined
  /** Ignores progress on the stand: only `from` counts as a success. */
  forgetful?: boolean | undefined
}

/** Runs a handler as the gateway would, on chart and pharmacy in memory. Resolves with the stand; rejects with the handler's error, which counts as a failed run there. */
export async function runHandler<T extends EventType>(
  handler: Handler<T>,
  options: RunOptions<T>,
): Promise<HandlerStand> {
  return controlRun(handler, options)
}

/** Like `runHandler`, with the kit's internal options. */
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
  // In mode `each`, later runs build on the success of the first.
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
    // The handler follows every given type, so the kind is documented.
    kind: eventKinds[type as T],
    owner: 'test',
    events,
    at: clock.now(),
  })
  const opened = createSystems({
    systems: { ehr: stand.ehr, pharmacy: stand.pharmacy, ...systemsFrom(systems, stand.calls) },
    api: apiFrom(api, stand.calls),
    // No breaker here: a failing call fails the test. The cast holds, as `noGuard` returns the method's own result.
    breakers: {
      ...noGuard,
      call: <R>(system: string, id: string, act: (call: Call) => Promise<R>) =>
        around(() => noGuard.call(system, id, act)) as Promise<R>,
    },
    digest: createDigest(Buffer.alloc(32)),
  })
  const { error } = await callHandler(
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
      systems: { ...opened, open: (run, onto) => withMissingSystems(opened.open(run, onto)) },
      settings: { ...ownSettings(), ...settings },
      ledger,
      clock,
      log: bindLog(capture.log, {}),
      watch: { begin: () => () => {} },
    },
    { ending: createEnding(), assertHeld() {}, remainingMs: () => 3_600_000 },
  )
  progress.set(key, error === undefined ? { baseline: to, tried: [] } : { baseline, tried: [...tried, to] })
  if (error !== undefined) throw error as Error // rethrown as it is, even if not an Error
}

/** The handler's first event type for this kind of resource. */
function usualEvent<T extends EventType>({ on }: Handler<T>, { object }: ResourceOf<T>): T {
  const type = on.find((each) => eventKinds[each] === object) ?? on[0]
  if (type === undefined) throw new TypeError('This handler follows no event type: name some in `on`.')
  return type
}

/** Default settings of pawl and its connectors. */
function ownSettings(): object {
  const env = { ROLE: 'receiver', WEBHOOK_SECRETS: 'a-secret-of-at-least-thirty-two-characters' }
  return readConfig(env, { ...ehrSettings, ...pharmacySettings }).settings
}
