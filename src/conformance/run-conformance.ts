import fc from 'fast-check'
import { commandsArbitrary, type ListShape, stepsOf } from './generate.ts'
import { judgeSteps, type RunDeps, ruleTitles, type Verdicts } from './judge-steps.ts'
import type { SavedRun } from './saved-run.ts'
import { shrinkSteps } from './shrink.ts'
import type { Step } from './steps.ts'
import { tours } from './tours.ts'

/** How thorough a run is. */
export type Profile = 'quick' | 'full'

/** How a conformance run is to be. */
export interface ConformanceOptions {
  deps: RunDeps
  profile: Profile
  /** Goes on generating lists for so long, instead of as many as the profile has. */
  minutes: number | undefined
  /** Judges by this rule alone. */
  only: string | undefined
  /** Whether what fails is made as short as time allows. Default: true. */
  shrinks?: boolean
  print: (line: string) => void
}

/** A list that fails a rule, as short as it was found. */
export interface Failure extends SavedRun {
  because: string
  /** How long it was when it was found. */
  foundWith: number
}

/** What came of it. */
export interface ConformanceResult {
  runs: number
  tookMs: number
  /** By rule: how often it passed, and otherwise why it never applied. */
  tally: ReadonlyMap<string, { passes: number; whyNot: string | undefined }>
  failure: Failure | undefined
}

interface Part extends ListShape {
  lists: number
}

/** Restarts cost seconds each: they have lists of their own. */
const profiles: Record<Profile, { maxMs: number; shrinkMs: number; parts: readonly Part[] }> = {
  quick: {
    maxMs: 60_000,
    shrinkMs: 45_000,
    parts: [
      { lists: 12, maxSteps: 25, maxRestarts: 0 },
      { lists: 2, maxSteps: 15, maxRestarts: 1 },
    ],
  },
  full: {
    maxMs: Infinity,
    shrinkMs: 180_000,
    parts: [
      { lists: 20, maxSteps: 40, maxRestarts: 0 },
      { lists: 5, maxSteps: 25, maxRestarts: 2 },
    ],
  },
}

/** Takes the tours, then generated lists, until a rule fails or all are taken; what fails is made as short as time allows. Rejects when the signal aborts. */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceResult> {
  const { deps, profile, minutes, print, shrinks = true } = options
  const { maxMs, parts } = profiles[profile]
  const shrinkMs = shrinks ? profiles[profile].shrinkMs : 0
  const startedAt = performance.now()
  const endsAt = startedAt + (minutes === undefined ? maxMs : minutes * 60_000)
  const tally = new Map<string, { passes: number; whyNot: string | undefined }>()
  let runs = 0

  async function failureOf(steps: readonly Step[], rule = options.only): Promise<Failed | undefined> {
    const verdicts = await judgeSteps(steps, deps)
    const failed = firstFailed(verdicts, rule)
    if (failed === undefined) add(tally, verdicts)
    return failed
  }

  /** One list on its own, told of while it runs. */
  async function tryList(what: string, steps: readonly Step[]): Promise<Failed | undefined> {
    deps.signal.throwIfAborted()
    const began = performance.now()
    runs += 1
    const failed = await failureOf(steps)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    const told = failed === undefined ? 'holds' : `FAILS ${failed.rule}: ${failed.because}`
    print(`${what}, ${steps.length} steps, ${seconds} s: ${told}`)
    return failed
  }

  async function shorten(failed: Failed, steps: readonly Step[], generator?: SavedRun['generator']): Promise<Failure> {
    print('Looking for the shortest list that fails …')
    const stopAt = performance.now() + shrinkMs
    let because = failed.because
    const shortest = await shrinkSteps(steps, async (shorter) => {
      if (performance.now() > stopAt) return false
      const again = await failureOf(shorter, failed.rule)
      because = again?.because ?? because
      return again !== undefined
    })
    const found = { rule: failed.rule, because, seed: deps.seed, steps: [...shortest], foundWith: steps.length }
    return generator === undefined ? found : { ...found, generator }
  }

  const result = (failure: Failure | undefined) => ({ runs, tookMs: performance.now() - startedAt, tally, failure })

  for (const [index, tour] of tours.entries()) {
    const failed = await tryList(`Tour ${index + 1} of ${tours.length}`, tour)
    if (failed !== undefined) return result(await shorten(failed, tour))
  }
  for (let round = 0; ; round += 1) {
    for (const part of parts) {
      const found = await generate(part, { round, endsAt, shrinkMs, seed: deps.seed, tryList })
      if (found !== undefined) return result(await shorten(found.failed, found.steps, found.generator))
    }
    // Without a time there is one round.
    if (minutes === undefined || performance.now() > endsAt) return result(undefined)
  }
}

interface Failed {
  rule: string
  because: string
}

interface Found {
  failed: Failed
  steps: readonly Step[]
  generator: SavedRun['generator']
}

/** Lets fast-check make lists and, of the first that fails, shorter ones, for a part of the time; undefined where none fails. */
async function generate(
  { lists, ...shape }: Part,
  options: {
    round: number
    endsAt: number
    shrinkMs: number
    seed: number
    tryList: (what: string, steps: readonly Step[]) => Promise<Failed | undefined>
  },
): Promise<Found | undefined> {
  let found: Omit<Found, 'generator'> | undefined
  /** Why a list could not be judged at all: nothing to make shorter. */
  let broken: unknown
  let stopAt = options.endsAt
  const property = fc.asyncProperty(commandsArbitrary(shape), async (commands) => {
    const steps = stepsOf(commands)
    if (broken !== undefined || performance.now() > stopAt) return
    const failed = await options
      .tryList(found === undefined ? 'Generated' : 'Shorter', steps)
      .catch((error: unknown) => {
        broken = error
        throw error
      })
    // While it shrinks, another rule is another failure.
    if (failed === undefined || (found !== undefined && found.failed.rule !== failed.rule)) return
    if (found === undefined) stopAt = performance.now() + options.shrinkMs / 3
    found = { failed, steps }
    throw new Error(failed.because)
  })
  const seed = options.seed + options.round * 1_000_003
  const details = await fc.check(property, { seed, numRuns: lists, unbiased: true })
  if (broken !== undefined) throw broken as Error // what was thrown, whatever it is
  if (found === undefined) return undefined
  // Commands print where they were shortened, and nothing else tells it.
  const replayPath = /replayPath="([^"]*)"/.exec(fc.stringify(details.counterexample))?.[1] ?? ''
  return { ...found, generator: { seed, path: details.counterexamplePath ?? '', replayPath } }
}

/** The first rule, in the order of the rules, that fails. */
export function firstFailed(verdicts: Verdicts, only?: string): Failed | undefined {
  for (const rule of ruleTitles.keys()) {
    const verdict = verdicts.get(rule)
    if (verdict?.result === 'fail' && (only === undefined || only === rule)) return { rule, because: verdict.because }
  }
  return undefined
}

function add(tally: Map<string, { passes: number; whyNot: string | undefined }>, verdicts: Verdicts): void {
  for (const [rule, verdict] of verdicts) {
    const so = tally.get(rule) ?? { passes: 0, whyNot: undefined }
    if (verdict.result === 'pass') so.passes += 1
    else so.whyNot = verdict.because
    tally.set(rule, so)
  }
}
