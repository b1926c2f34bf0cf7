import { setTimeout as sleep } from 'node:timers/promises'
import { applyStep } from './apply-step.ts'
import { createCast } from './cast.ts'
import type { Observations } from './observations.ts'
import { observe } from './observations.ts'
import type { PawlHost } from './pawl-host.ts'
import { rules } from './rules/index.ts'
import { notApplicable, pass, type Verdict } from './rules/rule.ts'
import { describeStep, isRestart, type Step } from './steps.ts'
import { startWorld } from './world.ts'

/** What the runs of one conformance run share. */
export interface RunDeps {
  host: PawlHost
  /** Of the sandbox: the same ids and times. */
  seed: number
  /** Settings in addition to those that the integration has from the environment. */
  env: Record<string, string>
  /** Ends the run between two steps. */
  signal: AbortSignal
}

/** What every rule says of one run, by its id. */
export type Verdicts = ReadonlyMap<string, Verdict>

/** The rule that compares a run with itself without its restarts. */
export const survivesRestart = { id: 'survives-restart', title: 'Survives restarts and kills' } as const

/** Every rule, the one that names the narrowest cause first. */
export const ruleTitles: ReadonlyMap<string, string> = new Map(
  [survivesRestart, ...rules].map(({ id, title }) => [id, title]),
)

/** Work that a process in the middle of it may lose or do twice. */
const shaken: readonly string[] = ['in-step', 'no-effect-twice', 'order-kept', 'no-lost-update']

/** Between two steps: what they cause overlaps, sometimes. */
const pauseMs = 15

/** Takes the steps, waits until nothing moves any more, and has every rule judge. A run that fails with restarts is taken once more without them, to tell whether they are the cause. */
export async function judgeSteps(steps: readonly Step[], deps: RunDeps): Promise<Verdicts> {
  const verdicts = judge(await runSteps(steps, deps))
  const failed = shaken.filter((id) => verdicts.get(id)?.result === 'fail')
  verdicts.set(survivesRestart.id, await judgeRestarts(steps, failed, verdicts, deps))
  return verdicts
}

function judge(seen: Observations): Map<string, Verdict> {
  return new Map(rules.map(({ id, judge }) => [id, judge(seen)]))
}

async function judgeRestarts(
  steps: readonly Step[],
  failed: readonly string[],
  verdicts: Verdicts,
  deps: RunDeps,
): Promise<Verdict> {
  if (!steps.some(isRestart)) return notApplicable('the process was neither stopped nor killed')
  const without =
    failed.length === 0
      ? verdicts
      : judge(
          await runSteps(
            steps.filter((step) => !isRestart(step)),
            deps,
          ),
        )
  const blamed = failed.find((id) => without.get(id)?.result !== 'fail')
  const verdict = blamed === undefined ? undefined : verdicts.get(blamed)
  if (verdict?.result !== 'fail') return pass
  return { result: 'fail', because: `only with the restart: ${verdict.because}` }
}

/** Takes the steps and looks at what came of them. */
export async function runSteps(steps: readonly Step[], { host, seed, env, signal }: RunDeps): Promise<Observations> {
  const world = await startWorld({ host, seed, env })
  const cast = createCast()
  try {
    for (const step of steps) {
      signal.throwIfAborted()
      try {
        await applyStep(step, world, cast)
      } catch (error) {
        throw new Error(`This step could not be taken: ${describeStep(step)}`, { cause: error })
      }
      world.truth.note()
      await sleep(pauseMs)
    }
    for (const line of Object.values(world.lines)) line.heal()
    let hasSettled = await world.quiet()
    if (cast.dropped.size > 0) {
      await world.reconcile([...cast.dropped])
      hasSettled = await world.quiet()
    }
    const finish = await observe(world, cast, steps, hasSettled)
    await world.stop()
    return finish()
  } finally {
    await world.close()
  }
}
