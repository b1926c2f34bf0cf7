import { randomUUID } from 'node:crypto'
import { ownUrl } from '@pawl/base/net/nearest-url'
import { z } from 'zod'
import { control, type Control } from '../platform/control.ts'
import { codedRefusal, validationRefusal } from '../platform/refusal.ts'
import { readControl } from '../platform/read-control.ts'
import { createCallSandbox } from './call-sandbox.ts'
import { readScenario, ScenarioInvalid } from './read-scenario.ts'
import { progressType, type RunProgress } from './run-progress.ts'
import { runScenario } from './run-scenario.ts'
import type { Scenario } from './schema.ts'
import { shippedNames, shippedScenario } from './shipped-scenarios.ts'

const RunRequest = z.strictObject({
  /** A shipped scenario. With `scenario`, only a label. */
  name: z.string().min(1).optional(),
  scenario: z.unknown().optional(),
  organization: z.string().min(1).optional(),
  /** For the body of every create, by path. */
  overrides: z.record(z.string().min(1), z.unknown()).optional(),
})

/** Lists the scenarios, and runs them one at a time, because each controls the sandbox's clock. */
export function scenarioControls(deps: {
  /** The organization with that id, or the default one; throws `Refusal` for an unknown one. */
  organizationOf: (id?: string) => { id: string }
  issueToken: (organization: string) => Promise<string>
}): Control[] {
  let last: Promise<unknown> = Promise.resolve()

  return [
    control('GET /scenarios', { summary: 'List the scenarios with their steps' }, () =>
      shippedNames().map((name) => ({ name, ...shippedScenario(name) })),
    ),
    control(
      'POST /scenarios',
      { summary: 'Run a scenario by its name, or your own', documentedBody: RunRequest },
      async ({ req, res }) => {
        const request = readControl(RunRequest, req.body ?? {})
        if (request.name === undefined && request.scenario === undefined)
          throw validationRefusal([{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }])
        const { name = 'unnamed', scenario: given, organization, overrides = {} } = request
        const scenario = given === undefined ? shipped(name) : own(given)
        const { id } = deps.organizationOf(organization)
        const isStream = req.accepts(['application/json', progressType]) === progressType
        const run = async () => {
          const { socket } = req
          const call = createCallSandbox({
            url: ownUrl(req),
            token: await deps.issueToken(id),
            host: req.get('host'),
          })
          const report = (progress: RunProgress) => {
            if (isStream && !socket.destroyed) res.write(`${JSON.stringify(progress)}\n`)
          }
          return runScenario(scenario, {
            name,
            organization: id,
            runId: randomUUID().slice(0, 8),
            overrides,
            call,
            report,
          })
        }
        if (isStream) res.type(progressType)
        const running = last.then(run)
        last = running.catch(() => undefined)
        const ended = await running
        if (isStream) return res.end()
        if (ended.ok) return ended
        throw codedRefusal(409, {
          title: 'Scenario failed',
          description: `${name}: ${ended.faults.join(' ')}`,
          code: 'scenario_failed',
          run: ended,
        })
      },
    ),
  ]
}

function shipped(name: string): Scenario {
  const found = shippedScenario(name)
  if (found !== undefined) return found
  throw codedRefusal(404, {
    title: 'Unknown scenario',
    description: `There is no scenario ${name}; use one of: ${shippedNames().join(', ')}.`,
    code: 'unknown_scenario',
    legal: shippedNames(),
  })
}

function own(given: unknown): Scenario {
  try {
    return readScenario(given)
  } catch (error) {
    if (!(error instanceof ScenarioInvalid)) throw error
    throw validationRefusal(error.faults.map((msg) => ({ loc: ['body', 'scenario'], msg, type: 'scenario_invalid' })))
  }
}
