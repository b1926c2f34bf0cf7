import { isDeepStrictEqual } from 'node:util'
import { type CallSandbox, StepRefused } from './call-sandbox.ts'
import { describeStep } from './describe-step.ts'
import { deliveriesOf, listens, type RunDelivery, untilAttempted } from './run-deliveries.ts'
import { readResource, readStatuses, type RunContext, runStep } from './run-step.ts'
import { prepareSandbox } from './prepare-sandbox.ts'
import type { ExpectedEvent, Scenario } from './schema.ts'

/** The media type of a run's progress, line by line; asked for with `Accept`. */
export const progressType = 'application/x-ndjson'

/** What a run tells while it goes on. */
export type RunProgress =
  | { kind: 'started'; scenario: string; summary: string; organization: string; steps: number; events: ExpectedEvent[] }
  | { kind: 'step'; number: number; does: string; ids: Record<string, string> }
  | ({ kind: 'ended' } & Run)

/** How a run came out. */
export interface Run {
  scenario: string
  /** Whether every step was done and every resource ended as the scenario says. */
  ok: boolean
  /** What went wrong, with the number of the step; what is legal is named. */
  faults: string[]
  ids: Record<string, string>
  /** The status of every resource now. */
  ends: Record<string, string>
  /** Whether the organization has a webhook that is not disabled. */
  listens: boolean
  /** In the order in which they were sent. */
  deliveries: RunDelivery[]
}

/** Runs a scenario against a sandbox, through its endpoints and controls alone. The sandbox's own time stands still meanwhile. */
export async function runScenario(
  scenario: Scenario,
  about: {
    name: string
    organization: string
    runId: string
    call: CallSandbox
    tell: (progress: RunProgress) => void
  },
): Promise<Run> {
  const { name, organization, runId, call, tell } = about
  const { summary, steps, events = [] } = scenario
  const context: RunContext = { call, organization, ids: new Map([['run', runId]]), kinds: new Map() }
  tell({ kind: 'started', scenario: name, summary, organization, steps: steps.length, events })
  const restore = await prepareSandbox(scenario, { call, organization })
  const faults: string[] = []
  try {
    for (const [index, step] of steps.entries()) {
      const does = describeStep(step)
      try {
        await runStep(step, context)
      } catch (error) {
        throw new StepRefused(`step ${index + 1} (${does}): ${error instanceof Error ? error.message : 'failed'}`)
      }
      await untilAttempted(context)
      tell({ kind: 'step', number: index + 1, does, ids: idsOf(context) })
    }
    faults.push(...(await differences(scenario, context)))
  } catch (error) {
    faults.push(error instanceof Error ? error.message : 'failed')
  } finally {
    await restore()
  }
  const run: Run = {
    scenario: name,
    ok: faults.length === 0,
    faults,
    ids: idsOf(context),
    ends: await statusesOf(context),
    listens: await listens(context),
    deliveries: await deliveriesOf(context),
  }
  tell({ kind: 'ended', ...run })
  return run
}

const idsOf = ({ ids }: RunContext) => Object.fromEntries([...ids].filter(([name]) => name !== 'run'))

async function statusesOf(context: RunContext): Promise<Record<string, string>> {
  const entries: [string, string][] = []
  for (const name of context.kinds.keys()) {
    const [status = 'unknown'] = await readStatuses(name, context).catch(() => [])
    entries.push([name, status])
  }
  return Object.fromEntries(entries)
}

async function differences({ ends = {} }: Scenario, context: RunContext): Promise<string[]> {
  const found: string[] = []
  for (const [name, expected] of Object.entries(ends))
    found.push(...differ(expected, await readResource(name, context), name))
  return found
}

/** Where the resource lacks what was expected of it; an expected object may name some fields alone. */
function differ(expected: unknown, actual: unknown, path: string): string[] {
  if (typeof expected === 'object' && expected !== null && !Array.isArray(expected))
    return Object.entries(expected).flatMap(([key, value]) => differ(value, at(actual, key), `${path}.${key}`))
  if (isDeepStrictEqual(expected, actual)) return []
  return [`ends: ${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`]
}

function at(value: unknown, key: string): unknown {
  // The compiler cannot see that reading an unknown field of an object is safe: what is not there is undefined.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
