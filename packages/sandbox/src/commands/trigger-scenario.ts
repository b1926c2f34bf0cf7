import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { SubcommandOf } from '../command-line.ts'
import { progressType, type Run, type RunProgress } from '../scenarios/run-progress.ts'
import { CommandFailed, reachSandbox } from './reach-sandbox.ts'
import { readJsonFile } from './read-json-file.ts'
import { showProgress } from './show-progress.ts'

/** Runs a scenario (a name or a `.json` file) in a running sandbox and prints its progress; resolves with true if it ended as expected. */
export async function triggerScenario(
  about: Omit<SubcommandOf<'trigger'>, 'subcommand' | 'host' | 'port'> & { url: string },
  print: (line: string) => void,
): Promise<Run> {
  const { url, scenario, organization, overrides, json } = about
  const body = scenario.endsWith('.json')
    ? { name: scenario, scenario: await readOwn(scenario), organization, overrides }
    : { name: scenario, organization, overrides }
  const response = await reachSandbox(url, '/_sandbox/scenarios', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: progressType },
    body: JSON.stringify(body),
  })
  let run: Run | undefined
  for await (const line of linesOf(response)) {
    // Written by the sandbox.
    const progress = JSON.parse(line) as RunProgress
    if (json) print(line)
    else for (const text of showProgress(progress)) print(text)
    if (progress.kind === 'ended') run = progress
  }
  if (run === undefined) throw new CommandFailed('The sandbox stopped before the scenario ended.')
  return run
}

async function readOwn(file: string): Promise<unknown> {
  // The schema of scenarios imports the whole sandbox; a name needs none of it.
  const { readScenario, ScenarioInvalid } = await import('../scenarios/read-scenario.ts')
  const scenario = await readJsonFile(file)
  try {
    return readScenario(scenario)
  } catch (error) {
    if (!(error instanceof ScenarioInvalid)) throw error
    throw new CommandFailed(error.faults.map((fault) => `${file}: ${fault}`).join('\n'))
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return
  // The types of fetch and of Node's streams declare the same class twice.
  const stream = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
  try {
    for await (const line of createInterface({ input: stream })) if (line !== '') yield line
  } catch {
    // The caller notices the missing end.
  }
}
