import fc from 'fast-check'
import { commandsArbitrary, type ListShape, stepsOf } from './generate.ts'
import { judgeSteps, type RunDeps, ruleTitles, type Verdicts } from './judge-steps.ts'
import type { SavedRun } from './saved-run.ts'
import { shrinkSteps } from './shrink.ts'
import type { Step } from './steps.ts'
import { coverageTours } from './coverage-tours.ts'
import { tours as troubleTours } from './tours.ts'

/** Thoroughness of a run. */
export type Profile = 'quick' | 'full'

export interface ConformanceOptions {
  deps: RunDeps
  profile: Profile
  /** Generates lists for this long, instead of the profile's number. */
  minutes: number | undefined
  /** Applies this rule only. */
  only: string | undefined
  /** Whether to shrink a failing list, as far as time allows. Default: true. */
  shrinks?: boolean
  print: (line: string) => void
}

/** The shortest list found that fails a rule. */
export interface Failure extends SavedRun {
  because: string
  /** Number of steps before shrinking. */
  foundWith: number
}

export interface ConformanceResult {
  runs: number
  tookMs: number
  /** By rule: number of passes, and if zero, why it never applied. */
  tally: ReadonlyMap<string, { passes: number; whyNot: string | undefined }>
  failure: Failure | undefined
}

const tours = [...troubleTours, ...coverageTours]

interface Part extends ListShape {
  lists: number
}

/** Restarts take seconds each, so they have separate lists. */
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

/** Runs the tours, then generated lists, until a rule fails or all are done. Shrinks a failing list as far as time allows. Rejects when the signal aborts. */
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

  /** Runs one list, and prints it meanwhile. */
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
    print('Shrinking the failing list …')
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
    // Without `minutes` there is one round.
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

/** Lets fast-check generate lists and shrink the first that fails, within the part's time; undefined if none fails. */
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
  /** Error that kept a list from being judged; not worth shrinking. */
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
    // While shrinking, another rule is another failure.
    if (failed === undefined || (found !== undefined && found.failed.rule !== failed.rule)) return
    if (found === undefined) stopAt = performance.now() + options.shrinkMs / 3
    found = { failed, steps }
    throw new Error(failed.because)
  })
  const seed = options.seed + options.round * 1_000_003
  const details = await fc.check(property, { seed, numRuns: lists, unbiased: true })
  if (broken !== undefined) throw broken as Error // rethrown as it is, even if not an Error
  if (found === undefined) return undefined
  // Only the commands' printed form shows the replay path.
  const replayPath = /replayPath="([^"]*)"/.exec(fc.stringify(details.counterexample))?.[1] ?? ''
  return { ...found, generator: { seed, path: details.counterexamplePath ?? '', replayPath } }
}

/** The first failing rule, in the order of the rules. */
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
