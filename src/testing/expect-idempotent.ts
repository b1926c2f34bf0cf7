import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import { storedTypes } from '../connectors/ehr/fhir/chart-types.ts'
import type { EventType } from '../service/events/catalog.ts'
import type { Handler } from '../work/handler.ts'
import { controlRun, type ControlledRun, type RunOptions } from './run-handler.ts'
import { createHandlerStand, type HandlerStand } from './handler-stand.ts'

/** What is run more than once. */
export interface Scenario<T extends EventType = EventType> extends Omit<RunOptions<T>, 'after'> {
  /** Calls such as `billing.find` that may come again, since they change nothing the second time. Reads of the service always may. */
  repeatable?: readonly string[] | undefined
}

/** Runs the handler, and again as after a crash, with and without its success on record, and with each of its calls failing once. Throws AssertionError, with what was done twice or not at all, where that leaves anything else than one undisturbed run. */
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
  compare(handler, 'Run again with the same resource, as after a crash', traces(stand, repeatable), expected)
  await run(stand, { from: to })
  compare(handler, 'Run again after its success', traces(stand, repeatable), expected)

  for (let failing = 1; failing <= calls; failing += 1) {
    const disturbed = createHandlerStand()
    if (await succeeds(run(disturbed, { around: failAt(failing) }))) continue
    await run(disturbed)
    compare(handler, `Run again after its call ${failing} had failed`, traces(disturbed, repeatable), expected)
  }
}

/** The only failure that the kit makes itself. */
class MadeToFail extends Error {}

function failAt(failing: number): ControlledRun<EventType>['around'] {
  let calls = 0
  return async (call) => {
    calls += 1
    if (calls === failing) throw new MadeToFail('This call fails once, as expectIdempotent wants it.')
    return call()
  }
}

/** Whether a run that was made to fail did not: a handler that goes on without an answer has to know why. */
async function succeeds(run: Promise<unknown>): Promise<boolean> {
  return run.then(
    () => true,
    () => false,
  )
}

/** All that runs have left behind, by names that a message can use. */
function traces(stand: HandlerStand, repeatable: readonly string[]): Record<string, unknown> {
  const calls = stand.calls.filter(
    ({ system, method }) => !isRead(system, method) && !repeatable.includes(`${system}.${method}`),
  )
  return {
    'writes to the chart': stand.ehr.writes,
    'what the chart holds': storedTypes.flatMap((type) => stand.ehr.resources(type).map(withoutVersion)),
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
): void {
  const different = Object.keys(expected).filter((name) => !isDeepStrictEqual(actual[name], expected[name]))
  if (different.length === 0) return
  const pick = (from: Record<string, unknown>) => Object.fromEntries(different.map((name) => [name, from[name]]))
  throw new AssertionError({
    message: `${when}, ${handler.name} left something else than one run does (${different.join(', ')}): guard with once what must not happen twice.`,
    actual: pick(actual),
    expected: pick(expected),
    operator: 'expectIdempotent',
  })
}
