import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import { storedTypes } from '@pawl/ehr/fhir/chart-types'
import type { EventType } from 'pawl-client/events/event-types'
import type { Handler } from '../../../src/work/handler.ts'
import { controlRun, type ControlledRun, type RunOptions } from './run-handler.ts'
import { createHandlerStand, type HandlerStand } from './handler-stand.ts'

/** The run to repeat. */
export interface Scenario<T extends EventType = EventType> extends Omit<RunOptions<T>, 'after'> {
  /** Calls such as `billing.find` that may repeat, since they change nothing. Reads of the service always may. */
  repeatable?: readonly string[] | undefined
}

/**
 * Runs the handler, then again as after a crash, with and without its success on record, after a change of fields that it does not read, and with each of its calls failing once.
 * Throws AssertionError with the differences if the effects differ from those of one undisturbed run.
 */
export async function expectIdempotent<T extends EventType>(
  handler: Handler<T>,
  scenario: Scenario<T> | (() => Scenario<T>),
): Promise<void> {
  const read = typeof scenario === 'function' ? scenario : () => scenario
  const run = (after: HandlerStand, options: Partial<ControlledRun<T>> = {}) =>
    controlRun(handler, { ...read(), after, forgetful: true, ...options })
  const stand = createHandlerStand()
  let calls = 0
  await run(stand, { around: async (call) => ((calls += 1), call()) })
  const { repeatable = [], to } = read()
  const expected = traces(stand, repeatable)

  await run(stand)
  compare(handler, 'Rerun with the same resource, as after a crash', traces(stand, repeatable), expected)
  await run(stand, { from: to })
  compare(handler, 'Rerun after its success', traces(stand, repeatable), expected)

  if (handler.reads !== undefined && handler.reads !== 'all') {
    await run(stand, { from: to, to: changedBeside(handler.reads, to) })
    const when = 'After a change of other fields than reads names'
    compare(handler, when, traces(stand, repeatable), expected, 'name each field that it follows')
  }

  for (let failing = 1; failing <= calls; failing += 1) {
    const disturbed = createHandlerStand()
    if (await succeeds(run(disturbed, { around: failAt(failing) }))) continue
    await run(disturbed)
    compare(handler, `Rerun after its call ${failing} failed`, traces(disturbed, repeatable), expected)
  }
}

/** The resource with another status, and without its other fields, except those that the handler reads. */
function changedBeside<R extends object>(reads: readonly string[], to: R): R {
  const kept = Object.entries(to).filter(([name]) => reads.includes(name) || name === 'id' || name === 'object')
  const status = 'status' in to && to.status === 'cancelled' ? 'processing' : 'cancelled'
  // Only documented fields that may be absent are left out.
  return { status, ...Object.fromEntries(kept) } as R
}

class InjectedFailure extends Error {}

function failAt(failing: number): ControlledRun<EventType>['around'] {
  let calls = 0
  return async (call) => {
    calls += 1
    if (calls === failing) throw new InjectedFailure('expectIdempotent makes this call fail once.')
    return call()
  }
}

/** Whether the run succeeds despite its failing call; either is allowed. */
async function succeeds(run: Promise<unknown>): Promise<boolean> {
  return run.then(
    () => true,
    () => false,
  )
}

/** All effects of the runs, by names for the error message. */
function traces(stand: HandlerStand, repeatable: readonly string[]): Record<string, unknown> {
  const calls = stand.calls.filter(
    ({ system, method }) => !isRead(system, method) && !repeatable.includes(`${system}.${method}`),
  )
  return {
    'writes to the chart': stand.ehr.writes,
    'resources in the chart': storedTypes.flatMap((type) => stand.ehr.resources(type).map(withoutVersion)),
    'notices to the pharmacy': stand.pharmacy.notices.map((notice) => ({ ...notice, id: 'its own' })),
    calls: calls.map(({ system, method, args }) => ({ call: `${system}.${method}`, args })),
    'effects of once': stand.effects,
  }
}

const isRead = (system: string, method: string) =>
  system === 'api' && /^(get|list|find|read|lookup|waitFor)/.test(method)

function withoutVersion(resource: object): object {
  return { ...resource, meta: undefined }
}

function compare(
  handler: { name: string },
  when: string,
  actual: Record<string, unknown>,
  expected: Record<string, unknown>,
  advice = 'guard with once each effect that must not repeat',
): void {
  const different = Object.keys(expected).filter((name) => !isDeepStrictEqual(actual[name], expected[name]))
  if (different.length === 0) return
  const pick = (from: Record<string, unknown>) => Object.fromEntries(different.map((name) => [name, from[name]]))
  throw new AssertionError({
    message: `${when}, the effects of ${handler.name} differ from those of one run (${different.join(', ')}): ${advice}.`,
    actual: pick(actual),
    expected: pick(expected),
    operator: 'expectIdempotent',
  })
}
