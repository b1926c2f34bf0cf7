import { once } from 'node:events'
import type { AnyHandler } from '../../work/handler.ts'
import { createJourney } from './journey.ts'
import { play } from './play-demo.ts'
import { startStage } from './stage.ts'
import { formatTable } from './table.ts'
import { judge } from './verdict.ts'
import { createWatch } from './watch.ts'

/** Options of the demo. */
export interface DemoOptions {
  print: (line: string) => void
  isColoured: boolean
  /** Plays the same ids and delays again. */
  seed?: number | undefined
  /** Keeps everything running after the verdict, until the signal aborts. */
  keep?: boolean | undefined
  /** Default: the active ones. */
  handlers?: readonly AnyHandler[]
  /** Max milliseconds without progress before the verdict. Default 60,000. */
  patienceMs?: number
  /** Ends the demo. */
  signal: AbortSignal
}

const legend = [
  'service   the partner and the service act',
  'receive   pawl stored a webhook; copy: it was known already',
  'ask API   pawl read the current state of a resource',
  'handle    a handler brought chart or pharmacy in sync',
  'chart     the FHIR server accepted a resource; pharmacy: it accepted a signed notice',
].join('\n')

/** Plays the story on its own servers, prints journey and verdict, closes the servers, and resolves with true if every resource is in sync. Rejects when the signal aborts before the verdict. */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const { print, isColoured, seed, keep = false, handlers, patienceMs = 60_000, signal } = options
  // An interrupted action is not part of the story.
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
        ? `All ${verdicts.length} resources are in sync: chart and pharmacy agree with the service.`
        : `${outOfStep.length} of ${verdicts.length} resources are out of sync.`,
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
