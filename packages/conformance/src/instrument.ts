import { AsyncLocalStorage } from 'node:async_hooks'
import { PawlError } from '@pawl/base/errors'
import type { RunContext, System, SystemsByName } from '@pawl/connector/system'
import type { AnyHandler, HandlerFacts } from '../../../src/work/handler.ts'
import type { AnyIntegration } from '../../../src/work/integration.ts'
import { ownFrameIn } from './own-frame.ts'
import { shiftDates, watchHoldings, watchPlainRequests, watchRequests, watchTimers } from './process-watch.ts'
import { type RunMark, showMark, type Trace } from '@pawl/testing/lines/run-mark'
import { digestOf, textOf } from './snapshot-digest.ts'

/** Records handlers in this process and routes requests to the integration's own systems through the run. */
export interface Instrument {
  /** The integration, with each handler and each port of its own systems recorded. */
  wrap(this: void, integration: AnyIntegration): AnyIntegration
  /** Shifts `Date` in handlers by this many milliseconds. */
  setClock(this: void, offsetMs: number): void
  /** From now on, requests to origins outside `known` go to `ownUrl`. */
  lead(this: void, route: { known: readonly string[]; ownUrl: string }): void
  /** Records the process's open resources. The returned function resolves with those that were added and are still open. */
  watch(this: void): () => Promise<string[]>
}

const now = () => performance.timeOrigin + performance.now()

/** `tell` is called for each run and each port call. */
export function createInstrument(tell: (trace: Trace) => void): Instrument {
  const current = new AsyncLocalStorage<RunMark>()
  let route: Parameters<Instrument['lead']>[0] | undefined
  let runs = 0
  let offsetMs = 0
  const owners = new Map<NodeJS.Timeout, string>()

  watchRequests((origin) => {
    const mark = current.getStore()
    const isOwn = route !== undefined && !route.known.includes(origin)
    return { mark: mark && showMark({ ...mark, sentAt: now() }), through: isOwn ? route?.ownUrl : undefined }
  })
  watchPlainRequests((origin) => {
    const mark = current.getStore()
    const isOwn = route !== undefined && !route.known.includes(origin)
    if (mark !== undefined && isOwn) tell({ what: 'unrecorded', run: mark.run, host: new URL(origin).host })
  })
  shiftDates(() => (current.getStore() === undefined ? 0 : offsetMs))
  const isRunning = () => current.getStore() !== undefined
  watchTimers(isRunning, (timer) => owners.set(timer, current.getStore()?.handler ?? ''))

  function wrapHandler(handler: AnyHandler): AnyHandler {
    return {
      ...handler,
      async handle(context: never) {
        // Every handler gets these.
        const given = context as Pick<HandlerFacts, 'resource' | 'previous' | 'once'>
        const { resource, previous } = given
        const mark = { run: (runs += 1), handler: handler.name, resource: resource.id, snapshot: digestOf(resource) }
        const reads = typeof handler.reads === 'object' ? { reads: [...handler.reads] } : {}
        tell({ what: 'begin', at: now(), ...mark, ...reads, ...describeState(resource, previous) })
        const { once } = given
        given.once = (key, effect) => once(key, (start) => current.run({ ...mark, once: key }, () => effect(start)))
        try {
          await current.run(mark, () => handler.handle(context))
          tell({ what: 'end', at: now(), run: mark.run, isDone: true })
        } catch (error) {
          tell({ what: 'end', at: now(), run: mark.run, isDone: false, ...describeThrown(error) })
          throw error
        }
      },
    }
  }

  /** Records the calls of a port; they run on the port itself. */
  function recordPort(system: string, port: object): object {
    return new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target)
        const mark = current.getStore()
        if (typeof member !== 'function' || mark === undefined) return member
        return async (...args: unknown[]) => {
          const startedAt = now()
          const said = {
            what: 'call',
            run: mark.run,
            system,
            method: String(name),
            args: plain(args),
            ...(mark.once !== undefined && { once: mark.once }),
            startedAt,
          } as const
          try {
            // A port's type cannot say that its functions are methods.
            const result: unknown = await (member as (...all: unknown[]) => unknown).apply(target, args)
            tell({ ...said, endedAt: now(), isDone: true })
            return result
          } catch (error) {
            tell({ ...said, endedAt: now(), isDone: false })
            throw error
          }
        }
      },
    })
  }

  /** Records the receipts of a run. */
  function recordReceipts(system: string, run: RunContext): RunContext {
    const { wrote } = run
    run.wrote = (receipt) => {
      wrote(receipt)
      const mark = current.getStore()
      if (mark !== undefined) tell({ what: 'wrote', run: mark.run, system, type: receipt.type, id: receipt.id })
    }
    return run
  }

  const wrapSystem = (name: string, system: System<object>): System<object> =>
    new Proxy(system, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key, target)
        if (key === 'open') return (run: RunContext) => recordPort(name, target.open(recordReceipts(name, run)))
        // As above.
        return typeof member === 'function' ? (member.bind(target) as unknown) : member
      },
    })

  return {
    wrap: (integration) => ({
      ...integration,
      handlers: integration.handlers.map(wrapHandler),
      systems: (given: never): SystemsByName => {
        const systems = Object.entries(integration.systems(given))
        const isOwn = (name: string) => name !== 'ehr' && name !== 'pharmacy'
        return Object.fromEntries(
          systems.map(([name, system]) => [name, isOwn(name) ? wrapSystem(name, system) : system]),
        )
      },
    }),
    setClock: (given) => void (offsetMs = given),
    lead: (given) => void (route = given),
    watch() {
      owners.clear()
      const added = watchHoldings()
      return async () => {
        const left = [...owners].filter(([timer]) => !isOver(timer)).map(([, handler]) => `a timer of ${handler}`)
        return [...new Set(left), ...(await added())]
      }
    },
  }
}

/** Node marks a timer that has fired or was cleared. */
function isOver(timer: NodeJS.Timeout): boolean {
  return '_destroyed' in timer && timer._destroyed === true
}

/** The codes of a resource, and the fields that changed since the handler last succeeded. */
function describeState(resource: HandlerFacts['resource'], previous: HandlerFacts['resource'] | undefined) {
  const now: Record<string, unknown> = { ...resource }
  const before: Record<string, unknown> = { ...previous }
  const wordOf = (value: unknown) => (typeof value === 'string' ? value : '')
  const statusIn = ({ status, state }: Record<string, unknown>) => wordOf(status ?? state)
  // A field that is not an object has no entries.
  const inside = (name: string) => ({ ...(now[name] as object | undefined) }) as Record<string, unknown>
  const { result, detail_code, authorization_expiration: lastDay } = inside('outcome')
  const transfer = inside('prescription_transfer')
  const { patient_cost: cost } = inside('real_time_benefits_check_response')
  const { is_resolved: isResolved, messages } = inside('message_thread')
  const words = [statusIn(now), result, detail_code, transfer.status, transfer.error_code]
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])]
  return {
    status: statusIn(now),
    words: words.map(wordOf),
    ...(typeof cost === 'string' && { cost }),
    ...(typeof lastDay === 'string' && { lastDay }),
    ...(Array.isArray(messages) && messages.length > 0 && { thread: isResolved === true ? 'resolved' : 'open' }),
    has: contentsOf(now),
    ...(previous !== undefined && {
      from: statusIn(before),
      changed: names.filter((name) => textOf(now[name]) !== textOf(before[name])),
    }),
  }
}

/** Names of fields with a value, their flags and codes, and the number of messages, files and activities; never their content. */
function contentsOf(resource: Record<string, unknown>): string[] {
  // As the service's schemas define them.
  const { message_thread: thread, activity_log: log } = resource as {
    message_thread?: { messages?: { attachments?: unknown[] }[] }
    activity_log?: { type?: string }[]
  }
  const messages = thread?.messages ?? []
  const files = messages.reduce((sum, { attachments = [] }) => sum + attachments.length, 0)
  const said = Object.entries(resource).flatMap(([name, value]) =>
    value == null || JSON.stringify(value).length <= '[]'.length ? [] : [name],
  )
  const told = Object.keys({ ...(resource.outcome as object | undefined) })
  return [
    ...said,
    ...told.map((name) => `outcome.${name}`),
    ...codesIn(resource),
    `${messages.length} messages`,
    `${files} files`,
    ...(Array.isArray(log) ? log.map(({ type }) => String(type)).toSorted() : []),
  ]
}

/** Flags and findings by field path. Those of the thread are not about the case. */
function codesIn(value: unknown, path: readonly string[] = []): string[] {
  const name = path.at(-1) ?? ''
  if (typeof value === 'boolean' || (typeof value === 'string' && findings.has(name)))
    return [`${path.join('.')} ${value}`]
  if (typeof value !== 'object' || value === null || name === 'message_thread') return []
  return Object.entries(value).flatMap(([below, each]) => codesIn(each, [...path, below]))
}

/** Codes of a BV. */
const findings: ReadonlySet<string> = new Set([
  'patient_coverage_status',
  'coverage',
  'coverage_detail_code',
  'prior_authorization_required',
  'code',
])

function plain(args: unknown[]): unknown[] {
  try {
    // The JSON of any array is an array.
    return JSON.parse(JSON.stringify(args)) as unknown[]
  } catch {
    return []
  }
}

/** Never its message, which may name a patient. */
function describeThrown(error: unknown): { error: string; threwAt?: string } {
  if (!(error instanceof Error)) return { error: 'a value that is not an error' }
  const code = error instanceof PawlError ? error.code : error.name
  const threwAt = ownFrameIn(error.stack ?? '')
  return { error: code, ...(threwAt !== undefined && { threwAt }) }
}
