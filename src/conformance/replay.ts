import { judgeSteps, type RunDeps } from './judge-steps.ts'
import { firstFailed } from './run-conformance.ts'
import type { SavedRun } from './saved-run.ts'
import { describeStep } from './steps.ts'

/** Repeats the steps of a saved run and prints the verdict of its rule; resolves with true if it still fails. */
export async function replay(run: SavedRun, deps: RunDeps, print: (line: string) => void): Promise<boolean> {
  for (const [index, step] of run.steps.entries()) print(`  ${String(index + 1).padStart(2)}. ${describeStep(step)}`)
  const verdicts = await judgeSteps(run.steps, deps)
  const failed = firstFailed(verdicts, run.rule)
  if (failed !== undefined) {
    print(`Still failing: ${failed.rule}: ${failed.because}`)
    return true
  }
  const other = firstFailed(verdicts)
  print(
    `Fixed: ${run.rule} holds.${other === undefined ? '' : ` Another rule fails now: ${other.rule}: ${other.because}`}`,
  )
  return false
}
