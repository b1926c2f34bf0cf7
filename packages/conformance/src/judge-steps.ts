import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigInvalid } from '@pawl/base/errors'
import { applyStep } from './apply-step.ts'
import { compareSystems } from './compare-systems.ts'
import { createCast } from './cast.ts'
import { type Observations, observe } from './observations.ts'
import type { PawlHost } from './pawl-host.ts'
import { rules } from './rules/index.ts'
import { advance, emptyModel, type Model } from './model.ts'
import { countFaults, countStep, type Reached } from './reached.ts'
import type { Life } from './saved-run.ts'
import { notApplicable, pass, type Verdict } from './rules/rule.ts'
import { describeStep, isRestart, type Step } from './steps.ts'
import { startWorld } from './world.ts'
import { wrongAddresses } from './wrong-addresses.ts'

/** Dependencies shared by all lists of a conformance run. */
export interface RunDeps {
  host: PawlHost
  /** Seed of the sandbox: the same seed gives the same outcomes and times. */
  seed: number
  /** Settings added to the integration's own from the environment. */
  env: Record<string, string>
  /** Ends the run between two steps. */
  signal: AbortSignal
}

/** Verdicts on one run, by rule id. */
export type Verdicts = ReadonlyMap<string, Verdict>

/** The rule that compares a run with the same run without restarts. */
const survivesRestart = { id: 'survives-restart', title: 'Survives restarts and kills' } as const

/** Every rule, narrowest cause first. */
export const ruleTitles: ReadonlyMap<string, string> = new Map(
  [survivesRestart, ...rules].map(({ id, title }) => [id, title]),
)

/** Rules that a restart amid work may break. */
const shaken: readonly string[] = ['in-sync', 'no-effect-twice', 'order-kept', 'no-lost-update', 'equal-states']

/** Pause between two steps, short enough that their effects sometimes overlap. */
const pauseMs = 15

/** Takes the steps, waits until pawl settles, and applies every rule. A failing run with restarts is repeated without them to see if they are the cause. `before`: lists that its process ran earlier; `shown`: what the service showed; `unrecorded`: requests that bypassed every rule. Throws `ConfigInvalid` if an own system has a wrong address: all its work parks, which shows nothing. */
export async function judgeSteps(
  steps: readonly Step[],
  deps: RunDeps,
): Promise<{ verdicts: Verdicts; before: readonly Life[]; shown: Reached; unrecorded: readonly string[] }> {
  const { seen, before, shown } = await runSteps(steps, deps)
  const faults = wrongAddresses(seen.calls)
  if (faults.length > 0) throw new ConfigInvalid(faults.join(' '))
  const verdicts = judge(seen)
  const failed = shaken.filter((id) => verdicts.get(id)?.result === 'fail')
  verdicts.set(survivesRestart.id, await judgeRestarts(steps, failed, verdicts, deps))
  return { verdicts, before, shown, unrecorded: seen.unrecorded }
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
  if (!steps.some(isRestart)) return notApplicable('no step stopped or killed the process')
  const without =
    failed.length === 0
      ? verdicts
      : judge(
          (
            await runSteps(
              steps.filter((step) => !isRestart(step)),
              deps,
            )
          ).seen,
        )
  const blamed = failed.find((id) => without.get(id)?.result !== 'fail')
  const verdict = blamed === undefined ? undefined : verdicts.get(blamed)
  if (verdict?.result !== 'fail') return pass
  return { result: 'fail', because: `only with the restart: ${verdict.because}` }
}

/** Takes the steps and observes the results. */
async function runSteps(
  steps: readonly Step[],
  { host, seed, env, signal }: RunDeps,
): Promise<{ seen: Observations; before: readonly Life[]; shown: Reached }> {
  const world = await startWorld({ host, seed, env })
  const cast = createCast()
  const model = emptyModel()
  const shown: Reached = new Map()
  try {
    for (const [index, step] of steps.entries()) {
      signal.throwIfAborted()
      try {
        const before = stateBefore(model, step)
        const from = performance.now()
        const isDone = await applyStep(step, world, cast)
        if (isDone) {
          countStep(shown, step, before)
          advance(model, step)
        }
        if (step.do === 'settle' && !isDone) cast.unsettled.push({ step: index + 1, from, to: performance.now() })
        if (step.do === 'settle' && isDone) cast.settledAt.push(performance.now())
        // Judged at each settle, because a state that falls behind may recover later. Lost webhooks are made up for at the end.
        if (step.do === 'settle' && isDone)
          for (const differing of await compareSystems(world, cast.dropped))
            cast.differences.push({ ...differing, step: index + 1 })
      } catch (error) {
        throw new Error(`This step failed: ${describeStep(step)}`, { cause: error })
      }
      if (step.do !== 'fail' && step.do !== 'heal') await sleep(pauseMs)
    }
    for (const line of Object.values(world.lines)) line.heal()
    let hasSettled = await world.quiet()
    if (cast.dropped.size > 0) {
      await world.sync([...cast.dropped])
      hasSettled = await world.quiet()
    }
    for (const differing of hasSettled ? await compareSystems(world, new Set()) : [])
      cast.differences.push({ ...differing, step: steps.length })
    // Syncing again must change nothing.
    if (hasSettled) cast.finalSyncAt = performance.now()
    await world.sync([...cast.priorAuthorizations, ...cast.benefitVerifications])
    hasSettled = (await world.quiet()) && hasSettled
    const finish = await observe(world, cast, steps, hasSettled)
    const { before } = world
    await world.stop({ seed, steps: [...steps] })
    if ([...cast.patients.values()].some((patient, at, all) => all.indexOf(patient) !== at))
      shown.set('further content: several cases of a patient', 1)
    const seen = finish()
    countFaults(shown, seen.calls)
    return { seen, before, shown }
  } finally {
    await world.close()
  }
}

/** The state that a step moves. */
function stateBefore({ priorAuthorizations }: Model, step: Step): string | undefined {
  if (step.do === 'move_pa') return priorAuthorizations[step.pa]?.status
  return step.do === 'move_transfer' ? priorAuthorizations[step.pa]?.transfer : undefined
}
