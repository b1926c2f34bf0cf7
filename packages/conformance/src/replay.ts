import { failsAfresh } from './run-conformance.ts'
import type { RunDeps } from './judge-steps.ts'
import type { SavedRun } from './saved-run.ts'
import { describeStep } from './steps.ts'

/** Repeats a saved run, including earlier lists of its process, and prints its rule's verdict. Resolves with true if the rule still fails. */
export async function replay(run: SavedRun, deps: RunDeps, print: (line: string) => void): Promise<boolean> {
  const before = run.before?.length ?? 0
  if (before > 0) print(`First the ${before} lists that the same process ran before.`)
  for (const [index, step] of run.steps.entries()) print(`  ${String(index + 1).padStart(2)}. ${describeStep(step)}`)
  const failed = await failsAfresh(run, deps)
  print(failed === undefined ? `Fixed: ${run.rule} holds.` : `Still failing: ${failed.rule}: ${failed.because}`)
  return failed !== undefined
}
