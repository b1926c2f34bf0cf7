import { isDeepStrictEqual } from 'node:util'
import { type CallSandbox, StepRefused } from './call-sandbox.ts'
import { describeStep } from './describe-step.ts'
import { deliveriesOf, listens, untilAttempted } from './run-deliveries.ts'
import { readResource, readStatuses, type RunContext, runStep } from './run-step.ts'
import type { Overrides } from './override.ts'
import { prepareSandbox } from './prepare-sandbox.ts'
import type { Run, RunProgress, RunStep } from './run-progress.ts'
import { followStory } from './run-story.ts'
import type { Scenario } from './schema.ts'

/** Runs a scenario against a sandbox through its endpoints and controls. Sandbox time stands still meanwhile. */
export async function runScenario(
  scenario: Scenario,
  about: {
    name: string
    organization: string
    runId: string
    overrides?: Overrides
    call: CallSandbox
    report: (progress: RunProgress) => void
  },
): Promise<Run> {
  const { name, organization, runId, overrides = {}, call, report } = about
  const { summary, steps, events = [] } = scenario
  const context: RunContext = { call, organization, ids: new Map([['run', runId]]), kinds: new Map(), overrides }
  report({ kind: 'started', scenario: name, summary, organization, steps: steps.length, events })
  const restore = await prepareSandbox(scenario, { call, organization })
  const faults: string[] = []
  const took: RunStep[] = []
  const readNews = followStory(context)
  try {
    for (const [index, step] of steps.entries()) {
      const does = describeStep(step)
      const number = index + 1
      try {
        await runStep(step, context)
        await untilAttempted(context)
        took.push({ number, does, happened: await readNews() })
      } catch (error) {
        const fault = messageOf(error)
        took.push({ number, does, happened: await readNews().catch(() => []), fault })
        throw new StepRefused(`step ${number} (${does}): ${fault}`)
      }
      report({ kind: 'step', number, does, ids: idsOf(context) })
    }
    faults.push(...(await differences(scenario, context).catch(unread)))
  } catch (error) {
    faults.push(messageOf(error))
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
    steps: took,
  }
  report({ kind: 'ended', ...run })
  return run
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'failed')

const unread = (error: unknown) => [`after the last step (reading the end): ${messageOf(error)}`]

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

/** Differences from the expected value; an expected object may name a subset of the fields. */
function differ(expected: unknown, actual: unknown, path: string): string[] {
  if (typeof expected === 'object' && expected !== null && !Array.isArray(expected))
    return Object.entries(expected).flatMap(([key, value]) => differ(value, at(actual, key), `${path}.${key}`))
  if (isDeepStrictEqual(expected, actual)) return []
  return [`ends: ${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`]
}

function at(value: unknown, key: string): unknown {
  // Reading a missing field of an object is safe: it is undefined.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
