import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isQuiet, untilQuiet } from '@pawl/testing/lines/quiet'
import { triggerScenario } from '@pawl/sandbox/commands/trigger-scenario'
import { pawlCommand } from '@pawl/base/project-folder'
import { DevRefused } from '@pawl/testing/dev-refused'
import { formatTable } from '@pawl/console/commands/output'
import { createCaseLines } from './case-lines.ts'
import { createJourney } from './journey.ts'
import { type Stage, startStage } from './stage.ts'
import { judge, rowsOf } from './verdict.ts'

/** Options of the demo. */
export interface DemoOptions {
  /** The checkout whose gateway runs. */
  root: string
  print: (line: string) => void
  isColoured: boolean
  /** Prints pawl's log as it comes. */
  verbose?: boolean | undefined
  /** The terminal, for a line a case that is redrawn; absent: nothing is printed before the verdict. */
  terminal?: Parameters<typeof createCaseLines>[1] | undefined
  /** Repeats the same ids and delays. */
  seed?: number | undefined
  /** Keeps everything running after the verdict, until the signal aborts. */
  keep?: boolean | undefined
  /** Max milliseconds without progress before the verdict. Default 60,000. */
  patienceMs?: number
  /** Ends the demo. */
  signal: AbortSignal
}

const legend =
  "This is pawl's log: webhooks as they arrive, each resource's moves, and below them each handler's writes to chart or pharmacy."
const shortLegend =
  'Five PAs and a BV run through pawl into a chart and a pharmacy; with --verbose, you read its log meanwhile.'

/** The scenario that the sandbox plays. */
const scenario = fileURLToPath(new URL('scenario.json', import.meta.url))
/** Its resources, in the order of their creation. */
const titles = [
  'PA, approved, transferred',
  'PA, denied',
  'PA, information missing',
  'PA, waits for review',
  'PA, cancelled',
  'BV of three drugs',
]
/** Sandbox seconds per second once the scenario has run; during it, time stands still. */
const speed = 5_000

/** Plays the scenario on its own servers, prints journey and verdict, closes the servers, and resolves with true if every resource is in sync. Rejects if the signal aborts before the verdict. */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const { root, print, isColoured, verbose = false, terminal, seed, keep = false, patienceMs = 60_000 } = options
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  const onEnd = (how: string) => ended.abort(new DevRefused(how))
  let isClosing = false
  // Neither an interrupted action nor the stop is part of the scenario.
  const journey = createJourney({
    print: verbose ? (text) => signal.aborted || isClosing || print(text) : undefined,
    isColoured,
    showCase: verbose || !terminal ? undefined : createCaseLines(titles, terminal),
    inOrder: titles,
  })
  const stage = await startStage({ root, speed, seed, journey, onEnd, signal })
  print(`${verbose ? legend : shortLegend}\n`)
  try {
    const isPlayed = await unlessAborted(signal, play(stage, print, patienceMs))
    const verdicts = await unlessAborted(signal, judge(stage, journey))
    const outOfStep = verdicts.filter(({ differences }) => differences.length > 0)
    print(['', ...formatTable(rowsOf(verdicts)), ''].join('\n'))
    for (const { title, differences } of outOfStep) for (const each of differences) print(`${title}: ${each}`)
    print(
      outOfStep.length === 0
        ? `All ${verdicts.length} resources are in sync: chart and pharmacy agree with the service.`
        : `${outOfStep.length} of ${verdicts.length} resources are out of sync.`,
    )
    if (keep) {
      print('\nEverything keeps running; end it with Ctrl-C.')
      for (const [name, address] of Object.entries(stage.addresses)) print(`  ${name.padEnd(22)} ${address}`)
      print(`\nCommands find it by its port:  ADMIN_PORT=${new URL(stage.adminUrl).port} ${pawlCommand()} status`)
      if (!signal.aborted) await once(signal, 'abort')
    }
    return isPlayed && outOfStep.length === 0
  } finally {
    isClosing = true
    await stage.close()
  }
}

/** Runs the scenario in the sandbox and waits until pawl is idle; resolves with false if the scenario broke off. */
async function play(
  { sandbox, lines, adminUrl }: Stage,
  print: (line: string) => void,
  patienceMs: number,
): Promise<boolean> {
  const { ok, faults } = await triggerScenario({ url: sandbox.url, scenario, json: true }, () => {})
  for (const fault of faults) print(fault)
  const readAdmin = async (path: string) => (await fetch(`${adminUrl}${path}`)).text()
  if (!(await untilQuiet(() => isQuiet({ sandbox, lines, readAdmin }), { lines, patienceMs })))
    print(`no progress for ${patienceMs / 1_000} s: the demo stops waiting`)
  return ok
}

/** Rejects as soon as the signal aborts. */
async function unlessAborted<T>(signal: AbortSignal, working: Promise<T>): Promise<T> {
  const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason as Error))
  signal.throwIfAborted()
  return Promise.race([working, aborted])
}
