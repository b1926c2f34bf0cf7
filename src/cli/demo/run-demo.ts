import { once } from 'node:events'
import type { AnyHandler } from '../../work/handler.ts'
import { createJourney } from './journey.ts'
import { play } from './play-demo.ts'
import { startStage } from './stage.ts'
import { formatTable } from './table.ts'
import { judge } from './verdict.ts'
import { createWatch } from './watch.ts'

/** How the demo is to run. */
export interface DemoOptions {
  print: (line: string) => void
  isColoured: boolean
  /** Plays the same ids and delays again. */
  seed?: number | undefined
  /** Leaves everything running after the verdict, until the signal aborts. */
  keep?: boolean | undefined
  /** Default: the active ones. */
  handlers?: readonly AnyHandler[]
  /** Milliseconds without any step forward after which the verdict is given as things stand. Default 60,000. */
  patienceMs?: number
  /** Ends the demo. */
  signal: AbortSignal
}

const legend = [
  'service   what partner and service do',
  'receive   pawl stored a webhook; copy: it knew it already',
  'ask API   pawl asked the service how a resource stands now',
  'handle    a handler brought chart or pharmacy into step',
  'chart     the FHIR server took a resource; pharmacy: it took a signed notice',
].join('\n')

/** Plays the story on a stage of its own, prints journey and verdict, and resolves with whether every resource is in step, all closed again. Rejects when the signal aborts before the verdict. */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const { print, isColoured, seed, keep = false, handlers, patienceMs = 60_000, signal } = options
  // What an interruption cuts short is no part of the story.
  const journey = createJourney((line) => signal.aborted || print(line), isColoured)
  const watch = createWatch(journey)
  const stage = await startStage({ seed, handlers, watch, signal })
  print(`${legend}\n`)
  try {
    const cast = await play({ stage, journey, watch, patienceMs, signal })
    const verdicts = await judge(stage, watch, cast)
    signal.throwIfAborted()
    const outOfStep = verdicts.filter(({ differences }) => differences.length > 0)
    print(`\n${watch.idleRuns} more runs of handlers found nothing to change.\n\n${formatTable(verdicts)}\n`)
    print(
      outOfStep.length === 0
        ? `All ${verdicts.length} resources are in step: chart and pharmacy say what the service says.`
        : `${outOfStep.length} of ${verdicts.length} resources are out of step.`,
    )
    if (keep) {
      print('\nEverything keeps running; end it with Ctrl-C.')
      for (const [name, address] of Object.entries(stage.addresses)) print(`  ${name.padEnd(22)} ${address}`)
      if (!signal.aborted) await once(signal, 'abort')
    }
    return outOfStep.length === 0
  } finally {
    await stage.close()
  }
}
