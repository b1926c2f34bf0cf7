import { availableParallelism } from 'node:os'
import fc from 'fast-check'
import { aimedTours } from './aimed-tours.ts'
import { correctedTours } from './corrected-tours.ts'
import { coverageTours } from './coverage-tours.ts'
import { commandsArbitrary, type ListShape, stepsOf } from './generate.ts'
import { judgeSteps, type RunDeps, ruleTitles, type Verdicts } from './judge-steps.ts'
import type { LoadedHandler } from './orders.ts'
import type { Reached } from './reached.ts'
import type { Life, SavedRun } from './saved-run.ts'
import { shrinkSteps } from './shrink.ts'
import type { Step, Tour } from './steps.ts'
import { tours } from './tours.ts'

/** Thoroughness of a run. */
export type Profile = 'quick' | 'full'

export interface ConformanceOptions {
  deps: RunDeps
  profile: Profile
  /** Generate lists for this many minutes instead of the profile's number of lists. */
  minutes: number | undefined
  /** Apply this rule only. */
  only: string | undefined
  /** Whether to shrink a failing list while time remains. Default: true. */
  shrinks?: boolean
  print: (line: string) => void
}

/** The shortest list found that fails a rule. */
export interface Failure extends SavedRun {
  because: string
  /** Number of steps before shrinking. */
  foundWith: number
  /** Whether it failed again in a new process. */
  isReproducible: boolean
  /** Whether time ran out before every step had been tried without. */
  isCutShort: boolean
}

export interface ConformanceResult {
  runs: number
  /** Number of lists not generated because time ran out. */
  missing: number
  tookMs: number
  /** By rule: number of passes, and if zero, why it never applied. */
  tally: ReadonlyMap<string, { passes: number; whyNot: string | undefined }>
  /** States, moves and outcomes that the service showed. */
  reached: Reached
  /** Requests that bypassed every rule: one sentence for each handler and host. */
  unrecorded: ReadonlySet<string>
  failure: Failure | undefined
}

interface Part extends ListShape {
  lists: number
}

/** Restarts take seconds each, so they have lists of their own. */
const profiles: Record<Profile, { maxMs: number; shrinkMs: number; parts: readonly Part[] }> = {
  quick: {
    maxMs: 300_000,
    shrinkMs: 45_000,
    parts: [
      { lists: 76, maxSteps: 16, maxRestarts: 0 },
      { lists: 4, maxSteps: 12, maxRestarts: 1 },
    ],
  },
  full: {
    maxMs: Infinity,
    shrinkMs: 180_000,
    parts: [
      { lists: 120, maxSteps: 40, maxRestarts: 0 },
      { lists: 12, maxSteps: 25, maxRestarts: 2 },
    ],
  },
}

interface List {
  what: string
  seed: number
  steps: readonly Step[]
}

interface Failed {
  rule: string
  because: string
}

/** The fixed lists that open every run of these handlers, each with its sandbox seed. */
export function toursOf(handlers: readonly LoadedHandler[], seed: number): (Tour & { seed: number })[] {
  return [...tours, ...coverageTours, ...correctedTours, ...aimedTours(handlers)].map((tour, at) => ({
    ...tour,
    seed: seedOf(seed, at),
  }))
}

/** The sandbox's seed for a list. */
function seedOf(seed: number, at: number): number {
  return (seed * 7_919 + at * 104_729) % 1_000_000_007
}

/** Runs the tours, then generated lists, a few at a time, until a rule fails or all are done. Confirms a failing list in a new process and shrinks it while time remains. Rejects when the signal aborts. */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceResult> {
  const { deps, profile, minutes, only, print, shrinks = true } = options
  const { maxMs, shrinkMs, parts } = profiles[profile]
  const startedAt = performance.now()
  const endsAt = startedAt + (minutes === undefined ? maxMs : minutes * 60_000)
  const tally = new Map<string, { passes: number; whyNot: string | undefined }>()
  const reached: Reached = new Map()
  const handlers = await deps.host.handlers()
  const unrecorded = new Set<string>()
  let runs = 0
  let missing = 0
  let found: { list: List; failed: Failed; before: readonly Life[] } | undefined

  const hasFailed = () => found !== undefined

  async function tryList(list: List): Promise<void> {
    deps.signal.throwIfAborted()
    const began = performance.now()
    runs += 1
    const { verdicts, before, shown, unrecorded: requests } = await judgeSteps(list.steps, { ...deps, seed: list.seed })
    for (const sentence of requests) unrecorded.add(sentence)
    const failed = firstFailed(verdicts, only)
    if (failed === undefined) add(tally, verdicts)
    for (const [name, count] of shown) reached.set(name, (reached.get(name) ?? 0) + count)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    const told = failed === undefined ? 'holds' : `FAILS ${failed.rule}: ${failed.because}`
    print(`${list.what}, ${list.steps.length} steps, ${seconds} s: ${told}`)
    if (failed !== undefined) found ??= { list, failed, before }
  }

  /** Runs the lists, a few at a time, until one fails or time is over. */
  async function tryAll(lists: Iterator<List>, overAt = endsAt): Promise<void> {
    async function work(): Promise<void> {
      for (let next = lists.next(); next.done !== true; next = lists.next()) {
        if (found !== undefined) return
        if (performance.now() > overAt) missing += 1
        else await tryList(next.value)
      }
    }
    // Lists overlap: one runs while another waits.
    await Promise.all(Array.from({ length: Math.min(availableParallelism() + 1, 5) }, work))
  }

  const allTours = toursOf(handlers, deps.seed)
  await tryAll(
    allTours
      .map(({ name, ...tour }, at): List => ({ what: `Tour ${at + 1} of ${allTours.length}, ${name}`, ...tour }))
      .values(),
    // The tours always run in full, however short `minutes` is.
    minutes === undefined ? endsAt : Infinity,
  )
  const names = handlers.map(({ name }) => name)
  const isOver = () => minutes === undefined || performance.now() > endsAt || hasFailed()
  let round = 0
  do {
    await tryAll(generated(parts, { seed: seedOf(deps.seed, 1_000 + round * 1_000), handlers: names }))
    round += 1
    // Without `minutes`, there is one round.
  } while (!isOver())
  // With `minutes`, running out of time is intended.
  const result = { runs, missing: minutes === undefined ? missing : 0, tally, reached, unrecorded }
  const failure = found && (await shorten(found, { deps, shrinkMs: shrinks ? shrinkMs : 0, print }))
  return { ...result, runs, tookMs: performance.now() - startedAt, failure }
}

function* generated(
  parts: readonly Part[],
  { seed, handlers }: { seed: number; handlers: readonly string[] },
): Generator<List> {
  for (const { lists, ...shape } of parts)
    for (const [at, commands] of fc
      .sample(commandsArbitrary({ ...shape, handlers }), { seed, numRuns: lists })
      .entries())
      yield { what: 'Generated', seed: seed + at, steps: stepsOf(commands) }
}

/** Confirms the failure in a new process, replaying the process's earlier lists if the failure needs them, then shrinks the list. */
async function shorten(
  { list, failed, before }: { list: List; failed: Failed; before: readonly Life[] },
  { deps, shrinkMs, print }: { deps: RunDeps; shrinkMs: number; print: (line: string) => void },
): Promise<Failure> {
  const { seed, steps } = list
  const saved = { rule: failed.rule, because: failed.because, seed, steps: [...steps], foundWith: steps.length }
  if (shrinkMs === 0) return { ...saved, isReproducible: true, isCutShort: true }
  const again = (lives: readonly Life[], of: readonly Step[]) =>
    failsAfresh({ rule: failed.rule, seed, steps: [...of], before: [...lives] }, deps)
  print('Trying the failing list again in a new process …')
  const stopAt = performance.now() + shrinkMs
  const alone = await again([], steps)
  const after = alone ?? (before.length === 0 ? undefined : await again(before, steps))
  if (after === undefined) return { ...saved, isReproducible: false, isCutShort: false }
  const life = alone === undefined ? before : []
  let { because } = after
  let isCutShort = false
  print('Shrinking the failing list …')
  const shortest = await shrinkSteps(
    steps,
    async (shorter) => {
      isCutShort = performance.now() > stopAt
      if (isCutShort) return false
      const failing = await again(life, shorter)
      because = failing?.because ?? because
      return failing !== undefined
    },
    because,
  )
  const found = { ...saved, because, steps: [...shortest], isReproducible: true, isCutShort }
  return life.length === 0 ? found : { ...found, before: [...life] }
}

/** The rule's verdict in a new process, after the given earlier lists; undefined if the rule holds. */
export async function failsAfresh(run: SavedRun, deps: RunDeps): Promise<Failed | undefined> {
  const host = deps.host.another()
  try {
    for (const { seed, steps } of run.before ?? []) await judgeSteps(steps, { ...deps, host, seed })
    const { verdicts } = await judgeSteps(run.steps, { ...deps, host, seed: run.seed })
    return firstFailed(verdicts, run.rule)
  } finally {
    await host.close()
  }
}

/** The first failing rule, in the order of the rules. */
function firstFailed(verdicts: Verdicts, only?: string): Failed | undefined {
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
